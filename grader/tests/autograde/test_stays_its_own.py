"""Whatever one submission does or holds, the others are graded, and the run says what became of
it."""

import errno
import logging
import os
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
import sqlalchemy.exc
from nbseal.autograde.failures import logged, raise_if_it_concerns_all
from nbseal.autograde.faults import OF_THE_MACHINE
from nbseal.autograde.submission import Submission
from nbseal.errors import CourseError
from support.classroom import NOTEBOOK, PLAIN, RIGHT, Classroom

FULL = {"double_test": 2.0, "square_test": 3.0}

# What sessions do to the folder they run in, where their notebook will be written.
DEEDS = {
    "notebook_is_a_folder": f"os.makedirs('{NOTEBOOK}.ipynb'); put('{NOTEBOOK}.ipynb/x')",
    "report_is_a_folder": f"os.makedirs('{NOTEBOOK}.html'); put('{NOTEBOOK}.html/x')",
    "timestamp_is_a_folder": "os.makedirs('timestamp.txt'); put('timestamp.txt/x')",
    "deep_notebook": f"os.makedirs('a/{NOTEBOOK}.ipynb/b'); put('a/{NOTEBOOK}.ipynb/b/x')",
    "config": "put('nbgrader_config.py'); os.makedirs('sub'); put('sub/nbgrader_config.py')",
    "startup": "put('sitecustomize.py'); put('usercustomize.py'); put('conftest.py'); put('a.pth')",
    "git": "os.makedirs('.git/hooks'); put('.git/config'); put('.git/hooks/post-checkout')",
    "checkpoints": f"os.makedirs('.ipynb_checkpoints'); put('.ipynb_checkpoints/{NOTEBOOK}.ipynb')",
    "folder_for_a_file": "os.remove('notes.txt'); os.makedirs('notes.txt'); put('notes.txt/x')",
    "file_for_a_folder": "import shutil; shutil.rmtree('data'); put('data')",
    "strange_name": "put(b'\\xff\\xfe'); put('new\\nline'); put('x' * 255)",
}
PUT = "import os\ndef put(name):\n    open(name, 'w').write('raise SystemExit')\n"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class where everybody is right, and all but the last write what they should not."""
    room = Classroom(tmp_path_factory.mktemp("deeds"))
    for student, deed in DEEDS.items():
        room.hand_in(student, square=f"{RIGHT['square']}\n{PUT}{deed}")
        (room.folder(student) / "data").mkdir()
        (room.folder(student) / "data" / "names.txt").write_text("handed in")
        (room.folder(student) / "notes.txt").write_text("handed in")
    room.hand_in("zoe")
    return room, room.autograde("--workers", "2")


@pytest.mark.slow
def test_names_that_are_not_a_sessions_cost_nobody_anything(graded):
    room, done = graded
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    for student in (*DEEDS, "zoe"):
        assert room.scores(student) == FULL and not room.is_flagged(student), student
        assert room.autograded(student).metadata.nbseal.sealed


@pytest.mark.slow
def test_nothing_that_others_would_run_or_read_lies_beside_the_results(graded):
    room, _ = graded
    forbidden = {"nbgrader_config.py", "sitecustomize.py", "usercustomize.py", "conftest.py"}
    for student in DEEDS:
        folder = room.folder(student, "autograded")
        found = [path.relative_to(folder) for path in folder.rglob("*")]
        assert not [path for path in found if forbidden & set(path.parts)]
        assert not [path for path in found for part in path.parts if part.startswith(".")]
        assert not [path for path in found if path.suffix == ".pth"]
        assert [path for path in found if path.suffix == ".ipynb"] == [
            found[0].__class__(f"{NOTEBOOK}.ipynb")
        ]
        assert (folder / "data" / "names.txt").read_text() == "handed in"
        assert (folder / "notes.txt").read_text() == "handed in"


BREAKS = """
import errno
from nbgrader.preprocessors import NbGraderPreprocessor
from nbseal.autograde import submission

class Breaks(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        if resources["nbgrader"]["student"].startswith("{whom}"):
            {what}
        return nb, resources
"""


def _breaking(tmp_path, whom: str, what: str) -> Classroom:
    """A class of four with full points, where a preprocessor of the course breaks for some."""
    room = Classroom(tmp_path / "course", PLAIN)
    for student in ("ada", "emmy", "grace", "mary"):
        room.hand_in(student)
    assert room.autograde().returncode == 0
    with open(room.root / "nbgrader_config.py", "a") as config:
        config.write(
            "from nbgrader.preprocessors import Execute, SaveAutoGrades\n"
            "c.Autograde.autograde_preprocessors = [Execute, SaveAutoGrades, 'breaks.Breaks']\n"
        )
    (room.root / "breaks.py").write_text(BREAKS.format(whom=whom, what=what))
    return room


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ENOSPC", "EMFILE"])
def test_a_host_that_is_out_of_something_costs_nobody_a_point(tmp_path, name):
    room = _breaking(tmp_path, "e", f"raise OSError(errno.{name}, 'it is full', '/some/where')")
    before = room.rows()
    done = room.autograde("--force", "--workers", "1")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "it is full" in done.stderr and "/some/where" in done.stderr
    assert room.rows() == before
    (room.root / "breaks.py").write_text(BREAKS.format(whom="nobody", what="pass"))
    assert room.autograde().returncode == 0
    assert all(room.is_autograded(student) for student in before)


@pytest.mark.slow
def test_a_failure_that_cannot_be_recorded_is_said_and_the_next_one_is_graded(tmp_path):
    """The reason cannot be written, nor the notebook that says it, nor 0 points."""
    room = _breaking(
        tmp_path,
        "e",
        "submission.Submission._zeros = lambda *_: 1 / 0; "
        "resources['nbseal'].rows.session.close(); resources['nbseal'].rows.notebooks.clear()",
    )
    done = room.autograde("--force", "--workers", "1")
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "emmy: " in done.stderr and "3 graded, 1 failed" in done.stdout
    assert not room.is_autograded("emmy")
    assert all(room.is_autograded(student) for student in ("ada", "grace", "mary"))


@pytest.mark.parametrize("code", sorted(OF_THE_MACHINE), ids=errno.errorcode.get)
def test_what_is_the_hosts_is_found_below_other_errors_too(code):
    try:
        try:
            raise OSError(code, os.strerror(code))
        except OSError as error:
            raise RuntimeError("the notebook could not be written") from error
    except RuntimeError as error:
        with pytest.raises(CourseError, match=r"no student|No student"):
            raise_if_it_concerns_all(error)


def test_only_what_concerns_all_is_raised():
    broken = [
        kind("x", {}, Exception("y"))
        for kind in (sqlalchemy.exc.OperationalError, sqlalchemy.exc.DatabaseError)
    ]
    for error in (CourseError("x"), *broken):
        with pytest.raises(type(error)):
            raise_if_it_concerns_all(error)
    unfit = sqlalchemy.exc.DataError("x", {}, Exception("y"))
    for error in (FileNotFoundError(errno.ENOENT, "x"), ValueError("x"), MemoryError(), unfit):
        raise_if_it_concerns_all(error)


def test_a_reason_can_always_be_written_down():
    logged(ValueError("\ud800"), logging.getLogger("test")).encode()


def test_who_waits_for_nothing_is_next():
    """An execution that has ended is waited for by nobody."""
    submission = Submission.__new__(Submission)
    submission._notebooks = [SimpleNamespace(execution=None), SimpleNamespace(execution=Future())]
    assert len(submission.waits_for) == 1
    submission._notebooks[1].execution.set_result(None)
    assert not submission.waits_for
