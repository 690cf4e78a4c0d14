"""A course that was written without this grader in mind, graded with two lines of configuration.

Each test below the first is a way in which a real course was graded wrongly, or not at all.
"""

import shutil

import nbformat
import pytest
from nbseal.notebook.notes import record_of
from support.engine_tools import code
from support.foreign import ASSIGNMENT, BASICS, FULL, RIGHT, STATS, ForeignCourse

R = {"name": "ir", "language": "R", "display_name": "R"}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    course = ForeignCourse(tmp_path_factory.mktemp("foreign") / "course")
    course.release()
    return course


@pytest.fixture
def course(released, tmp_path):
    """A copy of the released course, to be changed."""
    copy = ForeignCourse.__new__(ForeignCourse)
    copy.root = tmp_path / "course"
    shutil.copytree(released.root, copy.root)
    return copy


def test_two_notebooks_in_folders_with_names_of_their_own(course):
    course.hand_in("right", **RIGHT)
    course.hand_in("untouched")
    course.hand_in("median", **RIGHT | {"mean": "def mean(values):\n    return sorted(values)[1]"})
    (course.hand_in("one_only", **RIGHT) / "stats.ipynb").unlink()
    done = course.run("-m", "nbseal", "autograde", ASSIGNMENT, cwd=course.source)
    assert done.returncode == 0, done.stderr
    assert course.scores("right") == FULL
    assert set(course.scores("untouched").values()) == {0}
    assert course.scores("median") == FULL | {"mean_test": 0}
    assert course.scores("one_only") == FULL | {"mean_test": 0}
    for name in ("basics", "stats"):  # an empty cell in the release is no reason to repair
        assert record_of(course.autograded("untouched", name))["notes"] == []


def test_a_notebook_in_another_language_is_left_to_nbgrader(course):
    path = course.source / "models.ipynb"
    nb = nbformat.read(course.source / "stats.ipynb", as_version=4)
    nb.metadata.kernelspec, nb.nbformat_minor = R, 5  # cells have ids
    nb.cells = [
        code("mean <- 1", "r_mean", solution=True),
        code("stopifnot(mean == 1)", "r_test", test=True),
    ]
    nbformat.write(nb, path)
    course.release("--force")
    course.hand_in("right", **RIGHT)
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    assert course.scores("right") == FULL | {"r_test": None}
    assert "ps1/models.ipynb is written in R" in done.stderr and "--notebook=models" in done.stderr
    checked = course.run("-m", "nbseal", "check")
    assert "models.ipynb: left to nbgrader" in checked.stdout
    assert course.run("-m", "nbseal", "report", ASSIGNMENT).returncode == 0
    page = (course.root / "reports" / ASSIGNMENT / "report.html").read_text()
    assert "models.ipynb was skipped: it is written in R" in page and "not handed in" not in page


@pytest.mark.parametrize("where", ["PYTHONPATH", "beside the course"])
def test_packages_outside_of_pythons_own_folders(tmp_path, where):
    """They were invisible, and a whole class got 0 points reported as graded."""
    cells = ["import of_the_department as d", *BASICS[1:]]
    course = ForeignCourse(tmp_path / "work" / "course", {"basics": cells})
    place = tmp_path / ("lib" if where == "PYTHONPATH" else "work")
    place.mkdir(exist_ok=True)
    (place / "of_the_department.py").write_text("UNIT = 1\n")
    course.edit("basics", "7 * UNIT", "7 * d.UNIT")
    course.release()
    own = "import of_the_department\n" + RIGHT["total"]
    course.hand_in("right", total=own)
    stopped = course.autograde()
    assert stopped.returncode == 1 and "No module named 'of_the_department'" in stopped.stderr
    assert not (course.root / "autograded" / "right").exists()
    done = course.autograde(PYTHONPATH=str(place))
    assert done.returncode == 0, done.stderr
    assert course.scores("right") == {"total_visible": 1, "total_hidden": 2}


def test_nobody_is_graded_by_a_test_that_the_instructors_own_solution_fails(course):
    course.edit("basics", "== 7 * UNIT", "== 8 * UNIT")
    course.release("--force")
    course.hand_in("right", **RIGHT)
    done = course.autograde()
    assert done.returncode == 1
    sentence = "ps1/basics: the instructor's own solution fails in 'total_hidden' (AssertionError)"
    assert sentence in " ".join(done.stderr.split())
    assert not (course.root / "autograded" / "right").exists()
    accepted = course.autograde("--SealedExecute.require_full_marks=False")
    assert accepted.returncode == 0, accepted.stderr
    assert course.scores("right") == FULL | {"total_hidden": 0}


def test_a_source_that_leaves_a_task_open_is_no_solution_and_stops_nobody(course):
    """Many a course keeps its solutions elsewhere, and releases what it has as its source."""
    course.edit(
        "basics", "return sum(float(line) for line in open(path))", "raise NotImplementedError()"
    )
    course.release("--force")
    course.hand_in("right", **RIGHT)
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    assert course.scores("right") == FULL


def test_a_test_that_was_edited_and_not_generated_again_is_named(course):
    course.hand_in("right", **RIGHT)
    assert "differs from what was generated" not in course.autograde().stderr
    course.edit("basics", "== 7 * UNIT", "== (3 + 4) * UNIT")
    done = course.autograde("--force")
    assert done.returncode == 0
    said = " ".join(done.stderr.split())
    assert "ps1/basics.ipynb: 'total_hidden' in the source folder differs from what was" in said


def test_an_expect_of_the_courses_own_stops_nothing(tmp_path):
    own = ["from helper import *", STATS[1]]
    own.append(code("expect(mean([1, 2, 6]) == 3)", "mean_test", test=True, points=3))
    course = ForeignCourse(tmp_path / "course", {"stats": own})
    (course.source / "helper.py").write_text("def expect(claim):\n    assert claim\n")
    course.release()
    course.hand_in("right", **RIGHT)
    course.hand_in("wrong", mean="def mean(values):\n    return 0")
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    assert course.scores("right") == {"mean_test": 3} and course.scores("wrong") == {"mean_test": 0}


def test_what_lies_in_autograded_but_not_in_this_gradebook_is_graded_again(course):
    course.hand_in("right", **RIGHT)
    assert course.autograde().returncode == 0
    again = course.autograde()
    assert again.returncode == 0 and "graded again" not in again.stderr
    (course.root / "gradebook.db").rename(course.root / "last_year.db")
    course.release("--force")
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    assert "right: autograded before, but without scores in this gradebook" in done.stderr
    assert course.scores("right") == FULL


def test_changed_tests_and_points_are_noticed_and_no_student_is_blamed(course):
    course.hand_in("right", **RIGHT)
    assert course.autograde().returncode == 0
    course.edit("basics", '"points": 2', '"points": 5')
    course.edit("stats", "the mean of five values", "the mean of 5 values")
    course.release("--force")
    course.hand_in("later", **RIGHT)
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "right: graded by other tests or points than ps1 has now" in said
    assert "`nbseal autograde ps1 --student=right --force`" in said
    assert "later" not in said
    assert course.autograde("--student=right", "--force").returncode == 0
    assert course.scores("right") == FULL | {"total_hidden": 5}
    for name in ("basics", "stats"):
        assert record_of(course.autograded("right", name))["notes"] == []
    assert "other tests" not in course.autograde().stderr


def test_a_cell_that_the_instructor_renamed_is_nobodys_deletion(course):
    course.hand_in("right", **RIGHT)
    course.edit("basics", "total_visible", "total_shown")
    course.release("--force")
    done = course.autograde()
    assert done.returncode == 0, done.stderr
    notes = " ".join(record_of(course.autograded("right", "basics"))["notes"])
    assert "The assignment was changed after this notebook was handed out" in notes
    assert "deleted" not in notes and course.scores("right")["total_shown"] == 1


@pytest.mark.parametrize(
    "files, problem",
    [
        ('["nothing.py"]', "does not exist"),
        ('["/etc"]', "absolute"),
        ('["instructor"]', "may read"),
    ],
)
def test_course_files_that_cannot_be_given(course, files, problem):
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text().replace('["shared.py"]', files))
    course.hand_in("right", **RIGHT)
    done = course.autograde()
    assert done.returncode == 1 and problem in done.stderr and "Traceback" not in done.stderr


def test_a_configuration_that_cannot_be_read_is_said_in_one_sentence(course):
    (course.root / "nbgrader_config.py").write_text("c.x = 1 / 0\n")
    done = course.run("-m", "nbseal", "check")
    assert (
        done.returncode == 1 and "ZeroDivisionError" in done.stderr and done.stderr.count("\n") == 1
    )
