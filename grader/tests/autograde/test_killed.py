"""No score is lost or wrong when any process of a run is killed. `make kill-study` does this 50
times."""

import random
import shutil
import time

import pytest
from support.killing import differences, kill_and_grade_again, make_class


@pytest.fixture(scope="module", params=["sealed", "plain"])
def undisturbed(request, tmp_path_factory):
    """A class, what grading it gives, and how long that takes."""
    room = make_class(tmp_path_factory.mktemp(request.param), sealed=request.param == "sealed")
    spare = shutil.copytree(room.root, room.root.with_name(f"{room.root.name}_graded"))
    began = time.monotonic()
    assert room.autograde("--workers", "2").returncode == 0
    took = time.monotonic() - began
    assert differences(room.rows(), room) == []
    return room, spare, room.rows(), took


@pytest.mark.parametrize("seed", range(2))
def test_the_next_run_puts_everything_right(undisturbed, tmp_path, seed):
    room, untouched, expected, took = undisturbed
    shutil.rmtree(room.root)
    shutil.copytree(untouched, room.root)
    kill = kill_and_grade_again(room, expected, took, random.Random(seed))
    assert not kill.complaints, kill
