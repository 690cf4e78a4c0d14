"""A very large class, killed once on its way: does a submission cost the same at the end, and is
anything lost?

    python grader/benchmarks/large_class.py                      10,000 light notebooks, in SQLite
    python grader/benchmarks/large_class.py --students 1000 --db postgresql://...

The command is killed with `kill -9` after a tenth of the class, and given again. Counted are scores
in the gradebook, each of which must be what the submission deserves, and what a submission costs
among the first and the last thousand of the second run: seconds, and processor time of its session
and the writer, which other work on the machine moves less.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

from nbgrader.api import Gradebook
from nbseal.authoring.nbgrader_api import environment

from benchmarks.autograde import timed
from benchmarks.classes import TASKS, Class, synthetic_class


def killed_after(a_class: Class, command: list[str], done: int, log: Path) -> int:
    """Run the command, and kill it once so many submissions have results. Returns how many have."""
    graded = a_class.course.root / "autograded"
    with open(log, "w") as output:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=a_class.course.root,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(OMP_NUM_THREADS="1"),
        )
        while process.poll() is None and count(graded) < done:
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
    return count(graded)


def count(folder: Path) -> int:
    return sum(not name.startswith(".") for name in os.listdir(folder)) if folder.is_dir() else 0


def unexpected(a_class: Class, database: str) -> list[str]:
    """Students whose score is not what they deserve: one task in turn is wrong, or none."""
    with Gradebook(database) as gradebook:
        rows = gradebook.submission_dicts(a_class.assignment)
    scores = {row["student"]: row["score"] for row in rows}
    students = sorted(path.name for path in (a_class.course.root / "submitted").iterdir())
    return [
        student
        for number, student in enumerate(students)
        if scores.get(student) != TASKS - (number % (TASKS + 1) < TASKS)
    ]


def cost(submissions: list[dict]) -> tuple[float, float]:
    """Seconds and CPU seconds of one of these, which were finished one after the other."""
    took = submissions[-1]["finished_after"] - submissions[0]["finished_after"]
    cpu = [
        one["writer_cpu_seconds"] + sum(notebook["cpu_seconds"] for notebook in one["notebooks"])
        for one in submissions
    ]
    return took / (len(submissions) - 1), sum(cpu) / len(cpu)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--db", help="of the gradebook; a SQLite file in the course if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        a_class = synthetic_class(0.0, options.students, folder / "course")
        database = f"sqlite:///{a_class.course.root}/gradebook.db"
        if options.db:
            move = ["-m", "nbseal", "move-gradebook", options.db]
            timed(move, a_class.course.root, folder / "move.log")
            database = options.db
        record = folder / "record.json"
        command = ["-m", "nbseal", "autograde", a_class.assignment, f"--workers={options.workers}"]
        command += [f"--CourseDirectory.db_url={database}", f"--json={record}"]
        begun = killed_after(a_class, command, options.students // 10, folder / "killed.log")
        print(f"killed with {begun} of {options.students} graded", flush=True)
        took = timed(command, a_class.course.root, folder / "log")
        submissions = json.loads(record.read_text())["submissions"]
        submissions.sort(key=lambda one: one["finished_after"])
        part = min(1000, len(submissions) // 3)
        first, last = cost(submissions[:part]), cost(submissions[-part:])
        print(
            f"the rest, {len(submissions)}, in {took.seconds:.0f} s, peak "
            f"{took.peak_memory / 2**20:.0f} MB"
        )
        for what, before, after in zip(("seconds", "CPU seconds"), first, last):
            print(
                f"{what} of a submission: {before:.4f} among the first {part}, {after:.4f} among "
                f"the last ({100 * (after / before - 1):+.0f} %)"
            )
        wrong = unexpected(a_class, database)
        print(f"{options.students - len(wrong)} of {options.students} scores are as deserved")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
