"""The same engine under nbgrader's own command and under Formgrader's button, by a course's
nbgrader_config.py."""

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


def test_formgraders_button_grades_one_student_after_the_other_on_a_warm_engine(room):
    """In one process, as in the Jupyter server; each press makes a new answer key."""
    (room.root / "press.py").write_text(
        "import json, os, time\n"
        "from nbgrader.apps import NbGraderAPI\n"
        "from traitlets.config import PyFileConfigLoader\n"
        "from nbseal.autograde.exporter import ENGINES\n"
        "api = NbGraderAPI(config=PyFileConfigLoader('nbgrader_config.py', path='.').load_config())\n"
        "results, keys = [], set()\n"
        "for student in ('right', 'wrong'):\n"
        f"    results.append(api.autograde({ASSIGNMENT!r}, student)['success'])\n"
        "    started = ENGINES._started.values()\n"
        "    keys |= {prepared.key for one in started for prepared in one.engine._prepared.values()}\n"
        "print(json.dumps([results, len(started), len(keys)]))\n"
    )
    done = run(room.root, "press.py")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip().splitlines()[-1] == "[[true, true], 1, 2]"  # one engine, two keys
    assert room.scores("right") == FULL and room.scores("wrong") == FULL | {"double_test": 0}
    assert (room.folder("wrong", "autograded") / f"{NOTEBOOK}.ipynb").is_file()
