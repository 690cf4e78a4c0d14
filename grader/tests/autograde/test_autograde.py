"""`nbseal autograde` on whole classes: honest, wrong and damaged submissions beside each other."""

import json
import os
import shutil
import signal

import pytest
from nbseal.autograde.gradebook import ATTENTION
from nbseal.notebook.notes import SECONDS
from support.classroom import (
    ASSIGNMENT,
    CONFIG,
    NOTEBOOK,
    PLAIN,
    RIGHT,
    Classroom,
    delete_cell,
    tag_tests,
)
from support.engine_tools import code
from support.waiting import wait_until

FULL = {"double_test": 2.0, "square_test": 3.0}


# ---- One sealed class, graded once ---------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of everything, after one run. Returns the classroom and the finished command."""
    room = Classroom(tmp_path_factory.mktemp("sealed"))
    room.hand_in("right")
    room.hand_in("wrong", double="def double(x):\n    return x + 2")
    room.hand_in(
        "warns",
        square="import sys, warnings\ndef square(x):\n    warnings.warn('old')\n"
        "    print('hm', file=sys.stderr)\n    return x * x",
    )
    room.hand_in(
        "skips",
        tag_tests,
        double="def double(x):\n    return 0",
        square="def square(x):\n    return 0",
    )
    room.hand_in("claims", _claim_full_marks, double="def double(x):\n    return 0")
    room.hand_in("deleted", delete_cell("square_test"))
    room.hand_in("loops", square="while True:\n    pass")
    room.hand_in("crashes", square="import os\nos._exit(3)")
    room.hand_in(
        "floods", square=RIGHT["square"] + "\nfor i in range(10**6):\n    print('x' * 1000)"
    )
    room.hand_in(
        "writes", square=RIGHT["square"] + "\nopen('made.txt', 'w').write('by the session')"
    )
    room.hand_in("cut_off").write_text('{"cells": [{"cell_type": "co')
    room.hand_in("nested").write_text("[" * 100_000)
    room.hand_in("no_cells").write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}')
    room.hand_in("binary").write_bytes(os.urandom(1000))
    room.hand_in("marks_changed", _make_test_a_solution)
    room.hand_in("strange_marks", _make_marks_a_text)
    link = room.hand_in("link")
    link.unlink()
    link.symlink_to(room.source)
    room.hand_in("renamed").rename(room.folder("renamed") / "tasks (1).ipynb")
    room.hand_in("no_time")
    (room.folder("no_time") / "timestamp.txt").write_text("around noon")
    room.hand_in("borrows")
    (room.folder("borrows") / "reference.ipynb.txt").symlink_to(room.source)
    done = room.autograde("--workers", "2", "--Execute.timeout=5", "--json", "record.json")
    (room.root / "stderr.txt").write_text(done.stderr)
    return room, done


DAMAGED = ["cut_off", "nested", "no_cells", "binary", "link"]


def _claim_full_marks(nb):
    nb.metadata["nbseal"] = {"sealed": True}
    for cell in nb.cells:
        cell.metadata["nbseal"] = {
            "passed": True,
            "problem": None,
            "checks": [{"label": "forged", "ok": True, "mistake": None}],
        }


def _make_test_a_solution(nb):
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "double_test":
            cell.metadata["nbgrader"] |= {"solution": True, "grade": False}


def _make_marks_a_text(nb):
    nb.cells[1].metadata["nbgrader"] = "mine"


@pytest.mark.parametrize(
    "student, scores",
    {
        "right": FULL,
        "wrong": FULL | {"double_test": 0},
        "warns": FULL,
        "skips": {"double_test": 0, "square_test": 0},
        "claims": FULL | {"double_test": 0},
        "deleted": FULL,
        "marks_changed": FULL,
        "strange_marks": FULL,
        "renamed": FULL,
        "loops": FULL | {"square_test": 0},
        "crashes": FULL | {"square_test": 0},
        "floods": FULL,
        "writes": FULL,
        "borrows": FULL,
        "no_time": FULL,
    }.items(),
)
def test_scores(graded, student, scores):
    room, _ = graded
    assert room.scores(student) == scores
    assert room.is_autograded(student)


@pytest.mark.parametrize("student", DAMAGED)
def test_a_damaged_submission_gets_nothing_a_reason_and_a_flag(graded, student):
    room, done = graded
    assert room.scores(student) == {"double_test": 0, "square_test": 0}
    assert room.is_flagged(student)
    assert ATTENTION in room.comments(student)
    assert (
        not room.is_autograded(student)
        or "Nothing of this submission could be graded" in room.autograded(student).cells[0].source
    )
    assert f"{student}: " in done.stderr and "Traceback" not in done.stderr


def test_the_batch_goes_on_and_says_that_some_failed(graded):
    _, done = graded
    assert done.returncode == 1
    assert f"15 graded, {len(DAMAGED)} failed" in done.stdout
    assert "the same command tries them again" in done.stderr


def test_what_needs_a_look_is_flagged_and_nothing_else(graded):
    room, _ = graded
    assert [name for name in ("right", "wrong", "warns", "writes") if room.is_flagged(name)] == []
    assert room.is_flagged("crashes")
    assert room.is_flagged(
        "no_time"
    ) and "not a time: it was graded as if it had come in time" in room.comments("no_time")
    assert "square_test had been deleted" in room.autograded("deleted").cells[0].source


def test_files_that_a_session_wrote_are_where_nbgrader_leaves_them(graded):
    room, _ = graded
    assert (room.folder("writes", "autograded") / "made.txt").read_text() == "by the session"
    assert not (room.folder("writes") / "made.txt").exists()


def test_links_out_of_a_submission_are_not_followed(graded):
    room, _ = graded
    assert not (room.folder("borrows", "autograded") / "reference.ipynb.txt").exists()


def test_an_instructor_reads_why_a_hidden_check_failed(graded):
    room, _ = graded
    text = (room.folder("wrong", "autograded") / f"{NOTEBOOK}.ipynb").read_text()
    assert "For the instructor:" in text and "BEGIN HIDDEN TESTS" in text


def test_the_record_says_what_was_done(graded):
    room, _ = graded
    record = json.loads((room.root / "record.json").read_text())
    by_student = {submission["student"]: submission for submission in record["submissions"]}
    assert (record["graded"], record["failed"]) == (15, len(DAMAGED))
    assert by_student["right"]["score"] == 5 == by_student["right"]["max_score"]
    cell = by_student["wrong"]["notebooks"][0]["cells"][0]
    assert (cell["grade_id"], cell["score"]) == ("double_test", 0)
    assert "twice a secret" in cell["failed"] and cell["mistakes"] == ["You added 2."]
    assert by_student["cut_off"]["problem"].startswith("The file is not a notebook")


def test_the_summary_names_the_most_frequent_mistake(graded):
    _, done = graded
    assert "1 x You added 2." in done.stdout


def test_nothing_is_left_beside_the_results(graded):
    room, _ = graded
    assert [
        path.name for path in (room.root / "autograded").iterdir() if path.name.startswith(".")
    ] == []


def test_a_second_run_tries_only_the_damaged_ones(graded):
    room, _ = graded
    before = (room.folder("right", "autograded") / f"{NOTEBOOK}.ipynb").stat().st_mtime_ns
    room.hand_in("cut_off")  # handed in again, whole this time
    done = room.autograde("--student", "[cr]*", "--Execute.timeout=5")
    # of claims, crashes, cut_off, renamed, right
    assert "1 graded, 0 failed, 4 already graded" in done.stdout
    assert room.scores("cut_off") == FULL and not room.is_flagged("cut_off")
    assert ATTENTION not in room.comments("cut_off")
    assert (room.folder("right", "autograded") / f"{NOTEBOOK}.ipynb").stat().st_mtime_ns == before


# ---- nbgrader's meaning --------------------------------------------------------------------------


@pytest.mark.slow
def test_plain_asserts_score_as_under_nbgrader(tmp_path):
    """The same class under nbgrader's own command and ours: every column of the gradebook is the
    same."""
    rooms = [
        Classroom(tmp_path / name, PLAIN, "c.LateSubmissionPlugin.penalty_method = 'zero'")
        for name in ("theirs", "ours")
    ]
    for room in rooms:
        room.nbgrader("db", "assignment", "add", ASSIGNMENT, "--duedate", "2030-01-01 00:00:00 UTC")
        room.hand_in("right")
        room.hand_in("hidden_wrong", double="def double(x):\n    return 6")
        room.hand_in("partial", square="def square(x):\n    return 9 if x == 3 else 0.5")
        room.hand_in("late")
        (room.folder("late") / "timestamp.txt").write_text("2030-01-02 00:00:00 UTC")
        (room.folder("nothing")).mkdir(parents=True)
    theirs, ours = rooms
    assert theirs.nbgrader("autograde", ASSIGNMENT).returncode == 0
    done = ours.autograde()
    assert done.returncode == 0, done.stderr
    assert ours.rows() == theirs.rows()
    for student in ("right", "hidden_wrong", "partial", "late"):
        assert [_without_volatile(cell) for cell in ours.autograded(student).cells] == [
            _without_volatile(cell) for cell in theirs.autograded(student).cells
        ]
        assert [path.name for path in ours.folder(student, "autograded").iterdir()] == [
            path.name for path in theirs.folder(student, "autograded").iterdir()
        ]


def _without_volatile(cell):
    cell.metadata.pop("execution", None)
    cell.metadata.pop(SECONDS, None)
    cell.pop("id", None)
    for output in cell.get("outputs", []):
        output.pop("traceback", None)
    return cell


@pytest.mark.slow
@pytest.mark.parametrize("trouble", ["while True:\n    pass", "import os\nos._exit(1)", None])
def test_a_regrade_that_fails_does_not_keep_the_old_score(tmp_path, trouble):
    room = Classroom(tmp_path / "course", PLAIN)
    path = room.hand_in("ada")
    assert room.autograde().returncode == 0
    assert room.scores("ada") == FULL | {"partial": 1.0}
    if trouble is None:
        path.write_text("{")
    else:
        room.hand_in("ada", double=trouble, square=trouble)
    room.autograde("--force", "--Execute.timeout=1")
    assert set(room.scores("ada").values()) == {0}
    assert room.is_flagged("ada") or trouble is not None


@pytest.mark.slow
def test_partial_credit_above_the_points_costs_that_cell_only(tmp_path):
    room = Classroom(
        tmp_path / "course", [*PLAIN[:-1], code("square(1)", "partial", test=True, points=1)]
    )
    room.hand_in("ada", square="def square(x):\n    return 100 if x == 1 else x * x")
    assert room.autograde().returncode == 0
    assert room.scores("ada") == FULL | {"partial": 0}
    assert room.is_flagged("ada") and "partial" in room.comments("ada")


@pytest.mark.slow
def test_stderr_costs_points_where_a_course_says_so(tmp_path):
    room = Classroom(tmp_path / "course", PLAIN, "c.SaveAutoGrades.stderr_costs_points = True")
    room.hand_in(
        "ada",
        square="import sys\ndef square(x):\n    print('hm', file=sys.stderr)\n    return x * x",
    )
    assert room.autograde().returncode == 0
    assert room.scores("ada")["square_test"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("above", [True, False])
def test_preprocessors_and_hooks_of_a_course_are_honoured(tmp_path, above):
    """One that runs before the execution, one after the scores that opens the gradebook itself, and
    both hooks; above and below `nbseal.configure`."""
    room = Classroom(
        tmp_path / "course",
        PLAIN,
        (
            "from nbgrader.preprocessors import Execute, SaveAutoGrades\n"
            "c.Autograde.autograde_preprocessors = ['ours.Solve', Execute, SaveAutoGrades, 'ours.Bonus']\n"
            "c.Autograde.pre_convert_hook = 'ours.before'\nc.Autograde.post_convert_hook = 'ours.after'\n"
        ),
    )
    if above:  # and `nbseal.configure` is called below it
        config = room.root / "nbgrader_config.py"
        config.write_text(
            f"{config.read_text()}import nbseal\n"
            "nbseal.configure(c, course_files=['utils.py', 'checks'])\n"
        )
    (room.root / "ours.py").write_text(PREPROCESSORS)
    room.hand_in("ada", square="def square(x):\n    return None")
    done = room.autograde()
    assert done.returncode == 0, done.stderr
    assert room.scores("ada") == {"double_test": 2.5, "square_test": 3.0, "partial": 1.0}
    assert (room.root / "hooks.txt").read_text().split() == ["before", "after"]


PREPROCESSORS = """
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

class Solve(NbGraderPreprocessor):
    def preprocess_cell(self, cell, resources, index):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "square":
            cell.source = "def square(x):\\n    return x * x"
        return cell, resources

class Bonus(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            grade = gradebook.find_grade("double_test", names["notebook"], names["assignment"], names["student"])
            grade.auto_score += 0.5
            gradebook.db.commit()
        return nb, resources

def before(**_):
    open("hooks.txt", "a").write("before ")

def after(**_):
    open("hooks.txt", "a").write("after ")
"""


@pytest.mark.slow
def test_no_execute_trusts_the_outputs(tmp_path):
    room = Classroom(tmp_path / "course", PLAIN)
    room.hand_in("ada", double="def double(x):\n    return 0")
    assert room.autograde("--no-execute").returncode == 0
    assert room.scores("ada")["double_test"] == 2


# ---- Courses that cannot be graded ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil, said",
    [
        (
            lambda room: room.source.write_text(
                room.source.read_text().replace("return 2 * x", "return 3 * x")
            ),
            "double_test",
        ),
        (lambda room: shutil.rmtree(room.root / "source"), "reference"),
        (
            lambda room: (room.root / "nbgrader_config.py").write_text(
                CONFIG + "\nc.SealedExecute.accept_open = {'windows'}\n"
            ),
            "windows",
        ),
    ],
)
def test_what_is_wrong_with_the_course_costs_nobody_a_point(tmp_path, spoil, said):
    room = Classroom(tmp_path / "course")
    room.hand_in("ada")
    assert room.autograde().returncode == 0
    spoil(room)
    done = room.autograde("--force")
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert room.scores("ada") == FULL and not room.is_flagged("ada")


@pytest.mark.slow
def test_unknown_assignment_and_wrong_arguments_are_one_sentence(tmp_path):
    room = Classroom(tmp_path / "course", PLAIN)
    room.hand_in("ada")
    for arguments in (
        ["other"],
        ["--assignment=other"],
        ["--SealedExecute.limits={'memory': 3}"],
        ["--workers", "0"],
    ):
        done = room.autograde(*arguments)
        assert done.returncode != 0 and "Traceback" not in done.stderr, arguments


# ---- Interruptions -------------------------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_saves_what_is_graded_and_the_same_command_goes_on(tmp_path):
    room = Classroom(tmp_path / "course", PLAIN)
    for number in range(12):
        room.hand_in(
            f"student{number:02}", double="import time\ntime.sleep(0.5)\n" + RIGHT["double"]
        )
    running = room.start_autograde("--workers", "1", "--json", "record.json")
    wait_until(lambda: list((room.root / "autograded").glob("student*")), "nobody was graded")
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(60) == 130
    record = json.loads((room.root / "record.json").read_text())
    assert record["interrupted"] and 0 < record["graded"] < 12
    assert len(list((room.root / "autograded").iterdir())) == record["graded"]
    done = room.autograde()
    assert (
        done.returncode == 0
        and f"{12 - record['graded']} graded, 0 failed, {record['graded']} already" in done.stdout
    )
    assert {row["score"] for row in room.rows().values()} == {6.0}


BROKEN = """
from nbgrader.preprocessors import NbGraderPreprocessor

class Broken(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        if resources["nbgrader"]["student"].startswith("{prefix}"):
            raise TypeError("this is no student's fault")
        return nb, resources
"""


@pytest.mark.slow
def test_an_error_nobody_foresaw_costs_points_only_where_others_have_none(tmp_path):
    """All submissions fail: the course is broken, and scores stay. Only one does: it is that
    one's."""
    room = Classroom(tmp_path / "course", PLAIN)
    for student in ("ada", "emmy", "grace", "mary"):
        room.hand_in(student)
    assert room.autograde().returncode == 0
    with open(room.root / "nbgrader_config.py", "a") as config:
        config.write(
            "from nbgrader.preprocessors import Execute, SaveAutoGrades\n"
            "c.Autograde.autograde_preprocessors = [Execute, SaveAutoGrades, 'broken.Broken']\n"
        )
    (room.root / "broken.py").write_text(BROKEN.format(prefix=""))
    done = room.autograde("--force")
    assert (
        done.returncode == 1
        and "no score was changed" in done.stderr
        and "this is no student's fault" in done.stderr
    )
    assert all(row["score"] == 6 for row in room.rows().values())

    (room.root / "broken.py").write_text(BROKEN.format(prefix="a"))
    done = room.autograde()
    assert done.returncode == 1 and "3 graded, 1 failed" in done.stdout
    assert {student: row["score"] for student, row in room.rows().items()} == {
        "ada": 0,
        "emmy": 6,
        "grace": 6,
        "mary": 6,
    }
