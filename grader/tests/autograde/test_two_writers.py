"""Two machines that grade into one PostgreSQL at the same time: neither harms the other."""

import subprocess
import sys

import pytest
from nbgrader.api import Gradebook
from nbseal.authoring.nbgrader_api import environment
from nbseal.autograde.moving_command import move
from support.classroom import ASSIGNMENT, PATH, Classroom

WRONG = "def double(x):\n    return x + 2"


@pytest.fixture
def writers(server, tmp_path, monkeypatch):
    """Two folders of one course, which has no name, as two machines have them, and the database of
    both."""
    monkeypatch.setenv("PATH", PATH)
    config = f"c.CourseDirectory.db_url = {server!r}"
    rooms = [Classroom(tmp_path / name / "course", config=config) for name in ("one", "two")]
    move(f"sqlite:///{rooms[0].root / 'gradebook.db'}", server, "")
    for room in rooms:
        (room.root / "gradebook.db").unlink()
    return *rooms, server


def start(room: Classroom, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "nbseal", "autograde", ASSIGNMENT, "--create", *arguments],
        cwd=room.root,
        env=environment(COLUMNS="200") | {"PATH": PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def grade_at_once(*rooms: Classroom, arguments: tuple[str, ...] = ()) -> None:
    started = [start(room, *arguments) for room in rooms]
    said = [process.communicate(timeout=400)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0], "\n".join(said)
    assert "Traceback" not in "".join(said)


def kept(url: str) -> dict[str, list]:
    """Student -> the scores of each of their submissions."""
    found: dict[str, list] = {}
    with Gradebook(url, "") as gradebook:
        for one in gradebook.assignment_submissions(ASSIGNMENT):
            found.setdefault(one.student_id, []).append(one.score)
    return found


def test_own_students_and_the_same_ones_at_the_same_time(writers):
    one, two, database = writers
    expected = {}
    for number in range(6):
        for name, rooms in (("one", [one]), ("two", [two]), ("both", [one, two])):
            right = (number + len(name)) % 2 == 0
            for room in rooms:
                room.hand_in(f"{name}{number}", **({} if right else {"double": WRONG}))
            expected[f"{name}{number}"] = [5.0 if right else 3.0]
    grade_at_once(one, two)
    assert kept(database) == expected
    grade_at_once(one, two, arguments=("--force",))
    assert kept(database) == expected
