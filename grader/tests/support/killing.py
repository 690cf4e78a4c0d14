"""kill -9 of a random process of a grading run at a random moment, and what the gradebook says
after the next run."""

import os
import random
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from support.classroom import PLAIN, RIGHT, SEALED, Classroom, process_tree
from support.processes import has_ended
from support.waiting import wait_until

STUDENTS = 8
NOTHING = "nothing, it had finished"
# The command, the zygote, what it forked, the worker, a session. Below it are the session's own:
# who ended those only the session could say, so such an end costs a test and is no reason to run
# it again.
SESSION_DEPTH = 4
GONE_SECONDS = 60.0  # in which everything that a killed run has started must end


@dataclass(frozen=True)
class Kill:
    """What was killed, when, and what was wrong afterwards; no complaints is what it should be."""

    victim: str
    after: float
    complaints: tuple[str, ...]


def make_class(root: Path, sealed: bool) -> Classroom:
    """A class whose submissions differ, each long enough to be hit."""
    room = Classroom(root, SEALED if sealed else PLAIN)
    for number in range(STUDENTS):
        wait = f"import time\ntime.sleep({0.1 + 0.05 * number})\n"
        wrong = number % 3 == 1
        room.hand_in(
            f"student{number}",
            double=wait + (RIGHT["double"] if not wrong else "def double(x):\n    return x + 2"),
        )
    return room


def kill_and_grade_again(
    room: Classroom, expected: dict, longest: float, draw: random.Random
) -> Kill:
    """Start grading, kill one of its processes, run the same command again, compare with an
    undisturbed run."""
    after, complaints = draw.uniform(0.2, longest), []
    running = room.start_autograde("--workers", "2")
    try:
        running.wait(after)
    except TimeoutError:
        pass
    except Exception as still_running:
        assert type(still_running).__name__ == "TimeoutExpired", still_running
    tree = process_tree(running.pid) if running.poll() is None else []
    victims = [pid for pid in tree if _depth(pid, running.pid) <= SESSION_DEPTH]
    victim = draw.choice(victims) if victims else None
    name = _name_of(victim, running.pid) if tree else NOTHING
    if victim is not None:
        _kill(victim)
    exit_code = running.wait(120)
    complaints += _left_over(tree)
    if victim != running.pid and exit_code not in (0, 1):
        complaints.append(f"the command ended with {exit_code}")
    again = room.autograde("--workers", "2")
    if again.returncode != 0:
        complaints.append(f"the next run ended with {again.returncode}: {again.stderr[-500:]}")
    complaints += differences(expected, room)
    return Kill(name, round(after, 2), tuple(complaints))


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it ended meanwhile: nothing was disturbed


def _name_of(pid: int, command: int) -> str:
    if pid == command:
        return "the command"
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return "a process that was just ending"
    depth = _depth(pid, command)
    if "nbseal.inside.zygote" in line:
        return {1: "the zygote", 2: "what it forked", 3: "a worker"}.get(depth, "a session")
    return (
        f"{'a child of ' * (depth > 1)}the boundaries' trial"
        if "probing" in line
        else line[-60:] or "a nameless process"
    )


def _depth(pid: int, ancestor: int) -> int:
    depth = 0
    while pid not in (0, ancestor):
        pid, depth = _parent(pid), depth + 1
    return depth


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _left_over(tree: list[int]) -> list[str]:
    """Processes of the run that outlive it."""
    with suppress(TimeoutError):  # who is left is said below
        wait_until(lambda: all(map(has_ended, tree)), "processes end", seconds=GONE_SECONDS)
    return [f"process {pid} outlived the run" for pid in tree if not has_ended(pid)]


def differences(expected: dict, room: Classroom) -> list[str]:
    """Where the gradebook and the folders are not those of an undisturbed run."""
    found = room.rows()
    wrong = [
        f"{student}: {found.get(student)} instead of {row}"
        for student, row in expected.items()
        if found.get(student) != row
    ]
    wrong += [
        f"{student} is not in autograded/"
        for student in expected
        if not room.is_autograded(student)
    ]
    hidden = [
        path.name for path in (room.root / "autograded").iterdir() if path.name.startswith(".")
    ]
    return wrong + [f"{name} was left in autograded/" for name in hidden]
