"""A classroom's course with `nbseal serve` beside it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from nbseal import asking
from nbseal.authoring.nbgrader_api import environment
from support.classroom import ASSIGNMENT, PATH, Classroom

SECONDS = 240.0  # for anything, on a busy machine
# What a command that does the work itself loads, and one that lets it be done does not.
HEAVY = "nbseal.cli"
PROGRAM = ("-m", "nbseal", "serve", ASSIGNMENT)


class Served:
    """The server of a classroom's course, and commands that it does or does not do."""

    def __init__(self, room: Classroom, *arguments: str, program: tuple[str, ...] = PROGRAM):
        """program: what Python does."""
        self.room, self._log = room, room.root.parent / f"{room.root.name}.log"
        self._before = self.log().count(" is ready")
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program, *arguments],
                cwd=room.root,
                env=environment(COLUMNS="200") | {"PATH": PATH},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @property
    def socket(self) -> Path:
        return Path(asking.socket_of(str(self.room.root)))

    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def wait(self, said: str = " is ready", times: int = 1) -> None:
        """Until the server has said so, so many times since the last wait for it to be ready."""
        before = self._before if said == " is ready" else 0
        self.until(lambda: self.log().count(said) >= before + times)
        self._before = self.log().count(" is ready")

    def until(self, is_so) -> None:
        """Until something is so."""
        deadline = time.monotonic() + SECONDS
        while not is_so():
            assert time.monotonic() < deadline, self.log()[-3000:]
            assert self.process.poll() is None, self.log()[-3000:]
            time.sleep(0.05)

    def start(self, *arguments: str, **more: str) -> subprocess.Popen:
        """A command, which says what it loads."""
        return subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "nbseal", "autograde", ASSIGNMENT]
            + [*arguments],
            cwd=self.room.root,
            env=environment(COLUMNS="200", **more) | {"PATH": PATH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def autograde(self, *arguments: str, **more: str) -> "Done":
        """A command, once it has ended."""
        return Done(self.start(*arguments, **more))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(SECONDS)

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Done:
    """How a command ended."""

    def __init__(self, process: subprocess.Popen):
        self.stdout, stderr = process.communicate(timeout=SECONDS)
        self.code = process.returncode
        lines = stderr.splitlines()
        self.was_served = not any(line.endswith(f" {HEAVY}") for line in lines)
        self.stderr = "\n".join(line for line in lines if not line.startswith("import time:"))


def children(pid: int) -> list[int]:
    """The processes that a process has forked, and that still run."""
    folder = Path(f"/proc/{pid}/task/{pid}/children")
    found = [int(child) for child in folder.read_text().split()]
    return [child for child in found if os.path.exists(f"/proc/{child}/exe")]
