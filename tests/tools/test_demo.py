"""`make demo`: from an empty folder to a graded class, twice; and what it refuses to do."""

import sqlite3

import pytest
from nbseal.authoring.release import release
from nbseal.course import Course
from nbseal.errors import CourseError

from tests.course import ROOT
from tools.answers import load_answers
from tools.demo import class_list, class_work


@pytest.mark.slow
def test_a_class_is_graded_and_a_second_run_is_clean(tool, tiny):
    release(tiny, "01_tiny")
    first = tool("demo", "--students", "5")
    assert first.returncode == 0, first.stdout + first.stderr
    demo = tiny.root / "demo"
    names = class_list(tiny, 5)
    assert sorted(path.name for path in (demo / "autograded").iterdir()) == names
    assert len(list((demo / "feedback").glob("*/01_tiny/tiny.html"))) == 5
    assert (demo / "reports" / "01_tiny" / "report.html").is_file()
    table = [line for line in first.stdout.splitlines() if "│" in line]
    assert [line.split("│")[1].strip() for line in table] == names
    assert any("5 / 5" in line for line in table)
    assert any(
        "You added 2 instead of multiplying by it." in line or "You doubled x." in line
        for line in table
    )
    with sqlite3.connect(demo / "gradebook.db") as gradebook:
        assert gradebook.execute("select count(*) from submitted_assignment").fetchone() == (5,)

    (demo / "left_over.txt").touch()
    second = tool("demo", "--students", "3")
    assert second.returncode == 0 and second.stderr == ""
    assert not (demo / "left_over.txt").exists()
    assert sorted(path.name for path in (demo / "autograded").iterdir()) == class_list(tiny, 3)


def test_a_folder_that_is_not_a_demo_is_left_alone(tool, tiny):
    release(tiny, "01_tiny")
    (tiny.root / "thesis").mkdir()
    (tiny.root / "thesis" / "chapter.txt").write_text("years of work")
    done = tool("demo", "--students", "3", "--into", "thesis")
    assert done.returncode == 1 and "is not empty and was not made by a demo" in done.stderr
    assert [path.name for path in (tiny.root / "thesis").iterdir()] == ["chapter.txt"]


@pytest.mark.parametrize(
    "content, complaint",
    [
        (None, "names.txt is missing"),
        ("ada\nbela\n\x00\x01\nemre\n", "is damaged: name 3 is"),
        ("ada\nBela\n", "is damaged: name 2 is 'Bela'"),
        ("<html>404</html>", "is damaged: name 1 is"),
        ("ada\nbela\n", "holds 2 names, too few for 3 students"),
        ("", "holds 0 names"),
    ],
)
def test_a_names_file_that_is_missing_or_damaged(tool, tiny, content, complaint):
    path = tiny.root / "data" / "names.txt"
    path.unlink() if content is None else path.write_text(content)
    done = tool("demo", "--students", "3")
    assert (
        done.returncode == 1
        and complaint in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    )
    assert not (tiny.root / "demo").exists()


def test_an_assignment_without_task_files(tool, tiny):
    for path in (tiny.root / "tasks" / "01_tiny").iterdir():
        path.unlink()
    done = tool("demo", "01_tiny", "--students", "3")
    assert done.returncode == 1 and "01_tiny holds no answers" in done.stderr
    assert not (tiny.root / "demo").exists()


def test_the_class_of_twelve_is_the_same_every_time_and_repeats_some_mistakes(real):
    answers = load_answers(real, "02_layer_norm")
    work = class_work(answers, 12)
    assert work == class_work(answers, 12) and class_list(real, 12) == class_list(
        Course.at(ROOT), 12
    )
    assert sum(answer.is_right for answer in work) == 5
    assert len({answer.fails for answer in work if not answer.is_right}) == 5, (
        "each student in another task"
    )


def test_a_class_may_be_larger_than_all_answers(tiny):
    answers = load_answers(tiny, "01_tiny")
    work = class_work(answers, 50)
    assert len(work) == 50 and sum(answer.is_right for answer in work) == 20


@pytest.mark.parametrize("kind", [True, False])
def test_answers_of_one_kind_only_still_makes_a_class(tiny, kind):
    answers = [answer for answer in load_answers(tiny, "01_tiny") if answer.is_right is kind]
    assert len(class_work(answers, 4)) == 4


def test_more_students_than_names(tiny):
    with pytest.raises(CourseError, match="too few for 7 students"):
        class_list(tiny, 7)
