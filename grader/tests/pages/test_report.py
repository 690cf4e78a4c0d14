"""The instructor's report: right numbers, nothing of a student's unescaped, and grades that other
systems can read."""

import csv
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_output
from nbgrader.api import Gradebook
from nbseal.errors import CourseError
from nbseal.notebook.notes import failed_of
from nbseal.pages.exports import FORMATS, CanvasExport, NbgraderExport
from nbseal.pages.grades import Points, read_rows
from nbseal.pages.report import analysis, page
from nbseal.pages.report.command import write
from nbseal.pages.report.records import ClassRecord, Failure, Number, Submission, Task
from nbseal.records import CheckResult
from sqlalchemy import event
from support.classroom import ASSIGNMENT, NOTEBOOK, PATH, Classroom, run
from support.real_config import REAL_CONFIG

TASKS = (Task("nb/a", "a", 2), Task("nb/b", "b", 3))


def submission(student: str, a: float | None, b: float, **more) -> Submission:
    return Submission(student, student, {"nb/a": a, "nb/b": b}, (a or 0) + b, 5, **more)


def named(task: str, mistake: str) -> Failure:
    return Failure(task, CheckResult("a check", False, mistake=mistake))


def unnamed(task: str, label: str, answer: str = "") -> Failure:
    return Failure(task, CheckResult(label, False, answer=answer), "code")


def record(*points: tuple[float | None, float]) -> ClassRecord:
    return ClassRecord(
        "work", TASKS, tuple(submission(f"s{number}", *pair) for number, pair in enumerate(points))
    )


SEPARATING = record((2, 3), (2, 3), (2, 0), (0, 3), (0, 0), (0, 0))


def test_task_results_are_means_shares_and_discrimination():
    a, b = analysis.task_results(SEPARATING)
    assert (a.mean, a.solved, a.some, a.nothing, a.share) == (1, 0.5, 0, 0.5, 0.5)
    # by hand: 2 of 3 of those with b have a, 1 of 3 of those without
    assert a.correlation == pytest.approx(1 / 3)


def test_a_small_class_and_one_without_differences_have_no_correlation():
    for points in ([(2, 3), (0, 0)], [(2, 3)] * 9):
        assert all(one.correlation is None for one in analysis.task_results(record(*points)))


def test_points_that_a_person_has_yet_to_give_count_nowhere():
    a, b = analysis.task_results(record((None, 3), (None, 0)))
    assert a.mean is None and a.waiting == 2 and b.mean == 1.5
    text = page.render(record((None, 3), (None, 0)), [], datetime(2026, 1, 1))
    assert "to be graded by hand" in text


def test_problems_are_counted_by_student_and_the_most_frequent_comes_first():
    def failing(student, *texts):
        return submission(student, 0, 3, failures=tuple(named("nb/a", text) for text in texts))

    work = (
        failing("x", "rare", "often"),
        failing("y", "often", "often"),
        submission("z", 2, 0, failures=(unnamed("nb/b", "no name"),)),
    )
    found = analysis.problems(ClassRecord("work", TASKS, work))
    assert [(one.example.text, one.students) for one in found] == [
        ("often", ("x", "y")),
        ("rare", ("x",)),
        ("no name", ("z",)),
    ]


def test_students_with_the_same_wrong_answer_are_a_group():
    answers = {"ann": "3", "bob": "4", "cem": "4", "dan": "#d1ff", "eve": ""}
    work = tuple(
        submission(student, 0, 3, failures=(unnamed("nb/a", "the mean", answer),))
        for student, answer in answers.items()
    )
    found = analysis.problems(ClassRecord("work", TASKS, work))
    assert found[0].students == ("bob", "cem") and len(found) == 4
    assert found[0].example.line == '"...": 4,'
    assert not [one for one in found[1:] if one.example.line and one.students != ("ann",)]


def test_a_histogram_has_every_value_in_one_column():
    bins = analysis.histogram([0.0, 1.0, 1.9, 2.0, 5.0], 0.0, 5.0, 1.0)
    assert [one.count for one in bins] == [1, 2, 1, 0, 1]
    scores = analysis.score_histogram(record((2, 3), (2, 3), (0, 0)))
    assert [one.count for one in scores] == [1, 0, 0, 0, 0, 2]
    assert sum(one.count for one in analysis.score_histogram(record(*[(2, 2.5)] * 40))) == 40


def test_what_criteria_measured_is_shown_for_all_submissions():
    losses = [1.5, 0.5, 0.5, float("nan")]
    work = tuple(
        submission(f"s{n}", 2, 3, numbers=(Number("nb/a", "the loss", loss), Number("?", "x", 1)))
        for n, loss in enumerate(losses)
    )
    [one] = analysis.measured(ClassRecord("work", TASKS, work))
    assert (one.label, one.spread.lowest, one.spread.highest) == ("the loss", 0.5, 1.5)
    assert [column.count for column in one.bins] == [2, 0, 1]
    text = page.render(ClassRecord("work", TASKS, work), [], datetime(2026, 1, 1))
    assert "the loss. Median 0.5, from 0.5 to 1.5." in text


EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&$x_1$ {{ 7 * 7 }}"


def test_nothing_from_the_class_is_markup_in_the_page():
    tasks = (Task("nb/a", EVIL, 2), TASKS[1])
    evil = replace(
        submission("s", 0, 3),
        student=EVIL,
        name=EVIL + "!",
        repairs=(EVIL,),
        flags=(EVIL,),
        seconds=1.5,
        feedback=("../%3Cscript%3E.html",),
        failures=(
            named("nb/a", EVIL),
            Failure("nb/b", CheckResult(EVIL, False, answer=EVIL), EVIL),
        ),
        numbers=(Number("nb/a", EVIL, 1.0),),
    )
    other = replace(SEPARATING.submissions[0], numbers=(Number("nb/a", EVIL, 2.0),))
    text = page.render(
        ClassRecord(EVIL, tasks, (evil, other, *SEPARATING.submissions), (EVIL,), (EVIL,)),
        ["grades.csv"],
        datetime(2026, 1, 1),
    )
    soup = BeautifulSoup(text, "html.parser")
    assert soup.find("h1").text == EVIL and soup.title.text == f"{EVIL}: report"
    assert not soup.find_all("script") and not [
        tag for tag in soup.find_all(True) if any(name.startswith("on") for name in tag.attrs)
    ]
    assert not soup.find_all(["img", "svg", "link"])
    assert "49" not in soup.text.replace(EVIL, "") and text.count("<script") == 0


def test_the_page_needs_nothing_from_elsewhere():
    text = page.render(SEPARATING, ["grades.csv"], datetime(2026, 1, 1))
    assert not re.search(r"(src|href|url\()\s*=?\s*[\"']?(https?:)?//", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize(
    "of",
    [SEPARATING, record((2, 3)), record((None, 0)), record(*[(0, 0)] * 7), record(*[(2, 3)] * 400)],
)
def test_there_is_a_page_for_any_class(of):
    soup = BeautifulSoup(page.render(of, [], datetime(2026, 1, 1)), "html.parser")
    heights = [one["style"] for one in soup.select(".columns i")]
    assert "height: 82.0%" in heights
    for track in soup.select(".track"):
        shares = [float(one["style"].split()[1].rstrip("%")) for one in track.find_all("i")]
        assert sum(shares) <= 100.1


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """A class that was graded, given feedback and reported on, with the commands that an instructor
    types."""
    room = Classroom(tmp_path_factory.mktemp("reported"), config=REAL_CONFIG)
    room.hand_in("ann")
    for student in ("bob", "cyd"):
        room.hand_in(student, double="def double(x):\n    return x + 2")
    room.hand_in(
        "dan",
        lambda nb: nb.cells.pop(
            next(
                place
                for place, cell in enumerate(nb.cells)
                if cell.metadata.get("nbgrader", {}).get("grade_id") == "square_test"
            )
        ),
    )
    room.hand_in("eve").write_text("no notebook")
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student(
            "ann",
            first_name="Ann",
            last_name='=cmd|"x", Jr.',
            email="ann@example.org",
            lms_user_id="4711",
        )
        gradebook.add_student("zoe", first_name="Zoe")
    graded = room.autograde()
    assert room.nbgrader("generate_feedback", ASSIGNMENT).returncode == 0
    done = run_report(room)
    assert done.returncode == 0, done.stderr
    return SimpleNamespace(
        room=room, graded=graded, folder=room.root / "reports" / ASSIGNMENT, said=done.stdout
    )


def run_report(room: Classroom, *arguments: str):
    return run(room.root, "-m", "nbseal", "report", *(arguments or (ASSIGNMENT,)))


def test_the_report_says_how_the_class_did(reported):
    soup = BeautifulSoup((reported.folder / "report.html").read_text(), "html.parser")
    numbers = soup.find(class_="numbers").text
    assert "5 graded" in " ".join(numbers.split()) and "3.2 mean of 5" in " ".join(numbers.split())
    rows = {
        row.find("td").text: [cell.text.strip() for cell in row.find_all("td")]
        for row in soup.find_all("table")[0].find_all("tr")[1:]
    }
    assert rows["double"][2:5] == ["2", "0.8", "40%"] and rows["square"][2:5] == ["3", "2.4", "80%"]
    assert list(rows) == ["double", "square"]  # the hardest first
    first = soup.find("ol", class_="problems").find("li")
    assert "You added 2." in first.text and "bob, cyd" in first.text and first.b.text == "2"
    assert first.find("i")["style"] == "width: 40.0%"
    assert "Nothing handed in: zoe" in soup.text
    look = soup.find(string="To look at").find_next("table").text
    assert "eve" in look and "ann" not in look.lower()


def test_time_and_repairs_are_known_without_a_record_of_the_run(reported):
    soup = BeautifulSoup((reported.folder / "report.html").read_text(), "html.parser")
    rows = {
        row.find("td").text: row
        for row in soup.find_all("table")[-1].find("tbody").find_all("tr", recursive=False)
    }
    assert float(rows["bob"].find_all("td")[3].text) >= 0
    assert "square_test" in rows["dan"].text and not rows["bob"].find("details")


def test_links_lead_to_feedback(reported):
    soup = BeautifulSoup((reported.folder / "report.html").read_text(), "html.parser")
    links = [link["href"] for link in soup.find_all("a", string="read")]
    assert len(links) == 5
    assert all((reported.folder / unquote(link)).is_file() for link in links)


NBGRADER_COLUMNS = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
]
DAN = 5  # the deleted test was put back, and his answer passes it


def rows_of(path: Path) -> list[list[str]]:
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_grades_in_the_columns_of_three_systems(reported):
    head, *rows = rows_of(reported.folder / "grades.csv")
    assert head == NBGRADER_COLUMNS and {row[3]: float(row[9]) for row in rows} == {
        "ann": 5,
        "bob": 3,
        "cyd": 3,
        "dan": DAN,
        "eve": 0,
        "zoe": 0,
    }
    assert all(len(row) == len(head) for row in rows)

    head, possible, *rows = rows_of(reported.folder / "grades_canvas.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", ASSIGNMENT]
    assert possible[0] == "    Points Possible" and float(possible[5]) == 5
    assert rows[0] == ['\'=cmd|"x", Jr., Ann', "4711", "", "ann", "", "5.0"]

    head, *rows = rows_of(reported.folder / "grades_moodle.csv")
    assert head[:6] == [
        "First name",
        "Last name",
        "ID number",
        "Institution",
        "Department",
        "Email address",
    ]
    assert head[6:] == [f"Assignment: {ASSIGNMENT} (Real)"]
    assert (
        rows[0][0] == "Ann" and rows[0][2] == "4711" and rows[0][5:] == ["ann@example.org", "5.0"]
    )


@pytest.mark.slow
def test_nbgraders_own_command_uses_the_plug_ins(reported):
    done = reported.room.nbgrader(
        "export", "--exporter=nbseal.pages.exports.MoodleExport", "--to=moodle.csv"
    )
    assert done.returncode == 0, done.stderr
    assert rows_of(reported.room.root / "moodle.csv") == rows_of(
        reported.folder / "grades_moodle.csv"
    )


@pytest.mark.slow
def test_scores_equal_nbgraders_own_export(reported):
    assert reported.room.nbgrader("export", "--to=own.csv").returncode == 0
    own = [
        line.split(",")
        for line in (reported.room.root / "own.csv").read_text().splitlines()
        if "ann" not in line
    ]
    ours = [row for row in rows_of(reported.folder / "grades.csv") if "ann" not in row]
    assert sorted(own) == sorted(ours) and own[0] == ours[0]


def test_a_late_penalty_never_takes_more_than_there_was(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", PATH)
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        (
            gradebook.add_assignment("one"),
            gradebook.add_assignment("two"),
            gradebook.add_notebook("nb", "one"),
        )
        gradebook.add_grade_cell("t", "nb", "one", max_score=4, cell_type="code")
        gradebook.add_student("late")
        submitted = gradebook.add_submission("one", "late").notebooks[0]
        gradebook.find_grade("t", "nb", "one", "late").auto_score = 1
        submitted.late_submission_penalty = 3
        gradebook.db.commit()
        assert list(CanvasExport().rows(gradebook))[2][5:] == [0.0, None]  # two: nothing
        assert [row[7:10] for row in NbgraderExport(assignment=["one"]).rows(gradebook)][1:] == [
            [1.0, 3.0, 0.0]
        ]


def test_what_cannot_be_reported_is_said_in_a_sentence(reported, tmp_path):
    done = run_report(reported.room, "numbesr")
    assert (
        done.returncode == 1
        and "'numbesr'; it knows: numbers." in done.stderr
        and "Traceback" not in done.stderr
    )
    with pytest.raises(CourseError, match="there is no gradebook"):
        write(tmp_path, ASSIGNMENT, tmp_path / "report")
    assert not list(tmp_path.iterdir())  # nbgrader would have made a gradebook
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match="file could not be written"):
        write(reported.room.root, ASSIGNMENT, tmp_path / "file")


def test_a_notebook_graded_by_nbgraders_own_engine_gives_its_mistakes_too(reported):
    """There, reasons stand in the output alone."""
    error = new_output(
        "error",
        ename="AssertionError",
        evalue="twice 3\n  got 5, wanted 6\n  → You added 2.",
        traceback=[],
    )
    [said] = failed_of(new_code_cell("x", outputs=[error]))
    assert (said.label, said.reason, said.mistake) == ("twice 3", "got 5, wanted 6", "You added 2.")
    assert [check.label for check in failed_of(new_code_cell("x"))] == ["no reason given"]


@pytest.mark.slow
def test_every_format_is_written(reported):
    assert reported.said.split() == [
        str(reported.folder / name) for name in ("report.html", *FORMATS)
    ]
    assert (reported.room.folder("ann", "feedback") / f"{NOTEBOOK}.html").is_file()


# ---- Large classes -------------------------------------------------------------------------------


def test_the_lists_of_a_large_class_are_folded():
    students = tuple(
        submission(f"s{n}", (n % 3) or None, n % 4, failures=(unnamed("nb/b", f"check {n % 20}"),))
        for n in range(400)
    )
    crowd = ClassRecord("work", TASKS, students, (), tuple(f"absent{n}" for n in range(100)))
    soup = BeautifulSoup(page.render(crowd, [], datetime(2026, 1, 1)), "html.parser")
    folded = [one.summary.text for one in soup.find_all("details") if not one.has_attr("open")]
    assert [text for text in folded if "code" not in text] == [
        "8 more",
        "100 handed in nothing",
        "All 400 submissions",
    ]


@pytest.fixture
def gradebook_of(tmp_path, monkeypatch):
    """Makes a gradebook with so many students, and counts what it is asked."""
    monkeypatch.setenv("PATH", PATH)  # nbgrader starts alembic by name

    def make(students):
        gradebook = Gradebook(f"sqlite:///{tmp_path / str(students)}.db")
        gradebook.add_assignment("work")
        gradebook.add_notebook("nb", "work")
        gradebook.add_grade_cell("a", "nb", "work", max_score=2, cell_type="code")
        for number in range(students):
            gradebook.add_student(f"s{number}", first_name="A", last_name=f"B{number}")
            gradebook.add_submission("work", f"s{number}", timestamp=datetime(2026, 1, 1))
            grade = gradebook.find_grade("a", "nb", "work", f"s{number}")
            grade.auto_score, grade.needs_manual_grade = number % 3, False
            gradebook.find_submission_notebook(
                "nb", "work", f"s{number}"
            ).late_submission_penalty = 0.5
        gradebook.db.commit()
        gradebook.db.expire_all()
        asked = []
        event.listen(gradebook.engine, "before_cursor_execute", lambda *one: asked.append(one[2]))
        return gradebook, asked

    return make


def test_a_gradebook_is_asked_as_often_for_many_students_as_for_few(gradebook_of):
    counts = []
    for students in (2, 12):
        gradebook, asked = gradebook_of(students)
        with gradebook:
            rows = {row.student: row for row in read_rows(gradebook, "work")}
            table = list(CanvasExport(assignment=["work"]).rows(gradebook))
        assert len(rows) == students and len(table) == students + 2
        assert rows["s1"].notebooks == {"nb": {"a": Points(1, 2)}} and rows["s1"].penalty == 0.5
        assert rows["s1"].name == "A B1" and rows["s1"].raw_score == 1
        assert [line[-1] for line in table[2:]][:2] == [0, 0.5]
        counts.append(len(asked))
    assert counts[0] == counts[1]
