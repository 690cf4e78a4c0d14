"""The same engine under nbgrader's own command and under Formgrader's button, by a course's
nbgrader_config.py."""

import json
import shutil

import pytest
from support.classroom import ASSIGNMENT, NOTEBOOK, Classroom, run, tag_tests
from support.fixtures import TINY

FULL = {"double_test": 2.0, "square_test": 3.0}


@pytest.fixture
def room(tmp_path):
    """A class in a course with an ordinary configuration."""
    room = Classroom(tmp_path / "course")
    config = (TINY / "nbgrader_config.py").read_text()
    # The tiny course keeps nbgrader's default folders.
    config = "\n".join(line for line in config.splitlines() if "_directory" not in line)
    config = config.replace(', "data"', "")
    (room.root / "nbgrader_config.py").write_text(config)
    room.hand_in("right")
    room.hand_in("wrong", double="def double(x):\n    return x + 2")
    room.hand_in(
        "skips",
        tag_tests,
        double="def double(x):\n    return 0",
        square="def square(x):\n    return 0",
    )
    room.hand_in(
        "warns",
        square="import warnings\ndef square(x):\n    warnings.warn('old')\n    return x * x",
    )
    return room


def test_nbgrader_autograde_uses_the_sealed_engine(room):
    done = room.nbgrader("autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert room.scores("right") == room.scores("warns") == FULL
    assert room.scores("wrong") == FULL | {"double_test": 0}
    assert set(room.scores("skips").values()) == {0}
    assert room.autograded("right").metadata.nbseal.sealed
    assert done.stderr.count("Autograding") == 4


def test_the_switch_returns_to_nbgraders_own_engine(room):
    shutil.rmtree(room.folder("skips"))
    done = room.nbgrader(
        "autograde", ASSIGNMENT, GRADING_ENGINE="nbgrader", PYTHONPATH=str(room.root)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert room.scores("right") == FULL and room.scores("wrong") == FULL | {"double_test": 0}
    assert "nbseal" not in room.autograded("right").metadata
    assert room.scores("warns")["square_test"] == 0  # what this costs


PRESS = """
import json, sys
from nbgrader.apps import NbGraderAPI
from traitlets.config import PyFileConfigLoader
config = PyFileConfigLoader('nbgrader_config.py', path='.').load_config()
results = [NbGraderAPI(config=config).autograde('numbers', student) for student in sys.argv[1:]]
print(json.dumps(results))
"""


def press(room, *students, **more):
    """What Formgrader shows after its button was pressed for these students."""
    (room.root / "press.py").write_text(PRESS)
    done = run(room.root, "press.py", *students, **more)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_formgraders_button_runs_the_command_and_shows_what_it_said(room):
    (room.folder("skips") / f"{NOTEBOOK}.ipynb").write_text("{")
    right, wrong, broken = press(room, "right", "wrong", "skips")
    assert right["success"] and "numbers: 1 graded, 0 failed" in right["log"]
    assert room.scores("right") == FULL and room.scores("wrong") == FULL | {"double_test": 0}
    assert wrong["success"] and (room.folder("wrong", "autograded") / f"{NOTEBOOK}.ipynb").is_file()
    assert not broken["success"] and "`nbseal autograde` ended with 1" in broken["error"]
    assert "1 of 1 submissions could not be graded: skips" in broken["log"]


def test_the_button_of_a_course_that_grades_by_nbgraders_own_engine_stays_nbgraders(room):
    [done] = press(room, "right", GRADING_ENGINE="nbgrader", PYTHONPATH=str(room.root))
    assert done["success"] and room.scores("right") == FULL
    assert "nbseal" not in room.autograded("right").metadata
