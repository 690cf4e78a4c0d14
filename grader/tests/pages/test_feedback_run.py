"""`nbseal feedback`: the pages of `nbgrader generate_feedback`, made beside each other, and only
those that changed."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from nbgrader.api import Gradebook
from nbseal import folders
from nbseal.authoring.nbgrader_api import environment
from nbseal.errors import CourseError
from nbseal.pages import feedback_command
from nbseal.pages.feedback_run import FeedbackApp
from support.classroom import ASSIGNMENT, NOTEBOOK, PATH, Classroom, run
from support.real_config import REAL_CONFIG
from support.waiting import wait_until

STUDENTS = ("ann", "ben", "eve")
SAID = re.compile(r"(\d+) written, (\d+) unchanged, (\d+) failed")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A graded class; one student handed in a file, and wrote another while being graded."""
    room = Classroom(tmp_path_factory.mktemp("course"), config=REAL_CONFIG)
    room.hand_in("ann")
    room.hand_in("ben", double="def double(x):\n    return x + 2  # $a < b$ & <b>")
    room.hand_in("eve", double="open('left.txt', 'w').write('x')\ndef double(x):\n    return 2 * x")
    (room.folder("eve") / "notes").mkdir()
    (room.folder("eve") / "notes" / "own.txt").write_text("the student's own file")
    assert room.autograde().returncode == 0
    return room


def feedback(room, *arguments):
    """Run it in this process; returns how many were written, unchanged and failed."""
    said, code = io.StringIO(), 0
    FeedbackApp.clear_instance()
    with contextlib.chdir(room.root), contextlib.redirect_stdout(said):
        try:
            feedback_command.run([ASSIGNMENT, *arguments])
        except SystemExit as end:
            code = end.code
        except CourseError:
            code = 1
    numbers = tuple(map(int, SAID.search(said.getvalue()).groups()))
    assert code == (1 if numbers[2] else 0)
    return numbers


def returned(room):
    """Path -> content of everything that is returned."""
    folder = room.root / "feedback"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def page(room, student):
    return room.folder(student, "feedback") / f"{NOTEBOOK}.html"


@pytest.mark.slow
def test_everything_returned_is_what_nbgrader_would_return(room):
    assert feedback(room, "--force") == (3, 0, 0)
    ours = returned(room)
    assert f"eve/{ASSIGNMENT}/notes/own.txt" in ours and len(ours) == 4
    assert room.nbgrader("generate_feedback", ASSIGNMENT, "--force").returncode == 0
    assert returned(room) == ours
    # what nbgrader has written since may be anything: it is written again
    assert feedback(room)[:2] == (3, 0)


def change_comment(room):
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        comment = gradebook.find_comment("double", NOTEBOOK, ASSIGNMENT, "ben")
        comment.manual_comment = "Look again."
        gradebook.db.commit()


def change_score(room):
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("double_test", NOTEBOOK, ASSIGNMENT, "ben")
        grade.manual_score = 1.5
        gradebook.db.commit()


def change_notebook(room):
    path = room.folder("ben", "autograded") / f"{NOTEBOOK}.ipynb"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("x + 2", "x + 2 + 0"))


def change_page(room):
    page(room, "ben").chmod(0o644)
    page(room, "ben").write_text("half a pa")


def lose_page(room):
    page(room, "ben").unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, now_says",
    [
        (change_comment, "Look again."),
        (change_score, "1.5 / 2"),
        (change_notebook, '<span class="mi">0</span>'),
        (change_page, "</html>"),
        (lose_page, "</html>"),
    ],
)
def test_only_what_changed_is_made_again(room, change, now_says):
    feedback(room)
    before = {student: page(room, student).stat().st_mtime_ns for student in STUDENTS}
    assert feedback(room) == (0, 3, 0)
    change(room)
    assert feedback(room) == (1, 2, 0)
    after = {student: page(room, student).stat().st_mtime_ns for student in STUDENTS}
    assert [one for one in STUDENTS if before[one] != after[one]] == ["ben"]
    assert now_says in page(room, "ben").read_text()


@pytest.mark.slow
def test_another_configuration_makes_every_page_again(room):
    feedback(room)
    assert feedback(room, "--Highlight2HTML.extra_formatter_options={'nobackground': True}")[0] == 3
    assert feedback(room)[0] == 3


@pytest.mark.slow
def test_files_beside_a_page_stay_until_all_is_written_again(room):
    feedback(room)
    mine = room.folder("eve", "feedback") / "remarks.pdf"  # the instructor's own
    mine.write_text("well done")
    (room.folder("eve") / "notes" / "own.txt").write_text("changed")
    assert feedback(room) == (1, 2, 0)
    theirs = room.folder("eve", "feedback") / "notes" / "own.txt"
    assert mine.read_text() == "well done" and theirs.read_text() != "changed"
    (room.folder("eve") / "notes" / "own.txt").unlink()
    assert feedback(room, "--force", "--student=eve") == (1, 0, 0)
    assert not mine.exists() and not theirs.exists()  # as nbgrader's --force


@pytest.mark.slow
def test_one_page_that_cannot_be_made_stops_no_other_and_is_not_returned(room):
    feedback(room)
    path = room.folder("ann", "autograded") / f"{NOTEBOOK}.ipynb"
    path.chmod(0o644)
    whole = path.read_text()
    for broken in (whole.replace("### END HIDDEN TESTS", "# no end"), whole[:500], "[" * 100_000):
        path.write_text(broken)
        change_page(room)
        assert feedback(room) == (1, 1, 1)
        assert not page(room, "ann").exists() and page(room, "ben").exists()
        path.write_text(whole)
        assert feedback(room) == (1, 2, 0)


@pytest.mark.slow
def test_a_student_without_scores_is_named(room):
    folder = room.folder("zoe", "autograded")
    folder.mkdir(parents=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text("{}")
    try:
        done = run(room.root, "-m", "nbseal", "feedback", ASSIGNMENT)
    finally:
        (folder / f"{NOTEBOOK}.ipynb").unlink()
        folder.rmdir()
    assert done.returncode == 1
    assert "zoe: the gradebook has no scores of tasks.ipynb" in done.stderr
    assert "1 of 4 students get no feedback" in done.stderr


@pytest.mark.slow
def test_a_killed_command_leaves_whole_pages_and_the_next_one_goes_on(room):
    feedback(room, "--force")
    whole = returned(room)
    for delay in (0.0, 0.05):
        process = subprocess.Popen(
            [sys.executable, "-m", "nbseal", "feedback", ASSIGNMENT, "--force"],
            cwd=room.root,
            env=environment() | {"PATH": PATH},
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        _wait_for_pages(process, room.root / "feedback")
        time.sleep(delay)  # the moment at which it is killed
        process.send_signal(signal.SIGKILL)
        process.wait()
        for student in STUDENTS:
            assert page(room, student).read_bytes() == whole[f"{student}/{ASSIGNMENT}/tasks.html"]
    written, unchanged, failed = feedback(room)
    assert written + unchanged == 3 and failed == 0
    assert returned(room) == whole
    assert not list((room.root / "feedback").glob(".grading-*"))


def _wait_for_pages(process, folder):
    """Until pages are made, in a staging area that is there meanwhile, or the command has ended."""
    wait_until(
        lambda: process.poll() is not None or any(folder.glob(".grading-*/*")),
        "no page is made",
        every=0.002,
    )


@pytest.mark.slow
@pytest.mark.parametrize("broken", ['{"pages": ', "[]", "\0", "3"])
def test_a_record_that_cannot_be_read_is_none(room, broken):
    feedback(room)
    record = room.root / ".nbseal" / "feedback" / ASSIGNMENT / "ben.json"
    record.write_text(broken)
    assert feedback(room) == (1, 2, 0) and feedback(room) == (0, 3, 0)


@pytest.mark.slow
def test_a_courses_own_template_is_always_filled_in_again(room):
    assert feedback(room, "--HTMLExporter.template_name=classic") == (3, 0, 0)
    assert feedback(room, "--HTMLExporter.template_name=classic") == (3, 0, 0)
    assert feedback(room)[0] == 3


def test_files_are_moved_over_whatever_lies_there(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    for path in ("new/a/b", "new/c", "new/d", "old/a", "old/c/x", "old/d", "old/e"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    folders.move_over(new, old, ["a/b", "c", "d"])
    assert [(old / name).read_text() for name in ("a/b", "c", "d", "e")] == [
        "new/a/b",
        "new/c",
        "new/d",
        "old/e",
    ]
    os.mkdir(new / "again")
    folders.move_over(new / "again", tmp_path / "fresh" / "place", [])
    assert (tmp_path / "fresh" / "place").is_dir()
