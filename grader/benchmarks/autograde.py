"""One class, graded by nbgrader's own engine and by ours: the same scores, how much faster, and
where the time goes.

    python grader/benchmarks/autograde.py                                100 submissions, all by both
    python grader/benchmarks/autograde.py --seconds 0.2                  cells that cost 0.2 s of CPU
    python grader/benchmarks/autograde.py --students 500 --nbgrader 0    ours alone: flat in class size?

"Bare" is the CPU time of the same cells in one warm process with no isolation, no files and no
gradebook: what no autograder can be faster than. Times are wall-clock unless they say CPU; other
work on the machine makes them longer.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

import psutil
from nbseal.authoring.class_results import read_class
from nbseal.authoring.nbgrader_api import environment

from benchmarks.classes import Class, answers_class, synthetic_class

WATCH_SECONDS = 2.0  # asking for the memory of six processes takes 0.05 s


@dataclass(frozen=True)
class Timed:
    """One command: how long it took, and the peak memory of all its processes together."""

    seconds: float
    peak_memory: int


def timed(arguments: list[str], folder: Path, log: Path, **more: str) -> Timed:
    """Run Python in a course's folder; its output goes to `log`. Ends the benchmark if it fails."""
    began = time.monotonic()
    with open(log, "w") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(OMP_NUM_THREADS="1", **more),
        )
        peak = _watch(process)
        if process.wait() != 0:
            sys.exit(f"{' '.join(arguments)} failed:\n{log.read_text()[-3000:]}")
    return Timed(time.monotonic() - began, peak())


def _watch(process: subprocess.Popen):
    """Note the memory of a process tree now and then; shared pages are counted once (PSS). Returns
    a way to ask."""
    seen = [0]

    def watch() -> None:
        while process.poll() is None:
            seen.append(sum(map(_memory, _tree(process.pid))))
            time.sleep(WATCH_SECONDS)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: max(seen)


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _memory(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except (psutil.Error, AttributeError):
        return 0


def bare_cpu(a_class: Class) -> float:
    """Mean CPU seconds of a submission's cells, run one after the other in children of one warm
    process."""
    script = Path(__file__).with_name("bare.py")
    done = subprocess.run(
        [sys.executable, str(script), str(a_class.course.root), a_class.assignment],
        capture_output=True,
        text=True,
        env=environment(OMP_NUM_THREADS="1", OMP_THREAD_LIMIT="1"),
    )
    if done.returncode != 0:
        sys.exit(f"the bare run failed:\n{done.stderr[-3000:]}")
    return float(done.stdout)


def grade_with_ours(a_class: Class, workers: int, folder: Path) -> tuple[Timed, dict, dict]:
    """Returns times, scores by student, and the record of the run."""
    record = folder / "ours.json"
    took = timed(
        [
            "-m",
            "nbseal",
            "autograde",
            a_class.assignment,
            "--workers",
            str(workers),
            "--json",
            str(record),
        ],
        a_class.course.root,
        folder / "ours.log",
    )
    scores = {
        name: graded.scores
        for name, graded in read_class(a_class.course, a_class.assignment).items()
    }
    return took, scores, json.loads(record.read_text())


def grade_with_nbgrader(a_class: Class, students: int, folder: Path) -> tuple[Timed, dict]:
    """Grade the first `students` of the class in a copy of its course."""
    copy = shutil.copytree(a_class.course.root, folder / "theirs")
    for path in sorted((copy / "submitted").iterdir())[students:]:
        shutil.rmtree(path)
    course = type(a_class.course)(copy)
    took = timed(
        ["-m", "nbgrader", "autograde", a_class.assignment],
        copy,
        folder / "theirs.log",
        GRADING_ENGINE="nbgrader",
    )
    return took, {
        name: graded.scores for name, graded in read_class(course, a_class.assignment).items()
    }


def report(ours: Timed, record: dict, bare: float, workers: int) -> None:
    """Where our time goes, for one submission."""
    submissions = record["submissions"]
    students = len(submissions)
    notebooks = [notebook for submission in submissions for notebook in submission["notebooks"]]
    sessions = sum(notebook["cpu_seconds"] for notebook in notebooks) / students
    writer = sum(submission["writer_cpu_seconds"] for submission in submissions) / students
    first = min(submission["finished_after"] for submission in submissions)
    print(f"\nOurs, {workers} workers:")
    print(
        f"  {ours.seconds:8.2f} s       from start to end, of which {first:.2f} s until the first submission was done"
    )
    print(f"  {ours.seconds / students:8.3f} s       a submission")
    print(
        f"  {(record['seconds'] - first) / max(students - 1, 1):8.3f} s       a further submission"
    )
    print(f"  {ours.peak_memory / 2**20:8.0f} MB      peak of the whole process tree")
    print("CPU time of a submission:")
    print(
        f"  {sessions:8.3f} s       its session: cells, sealed tests, fork, confinement, recording (bare, with expected values: {bare:.3f} s)"
    )
    print(f"  {writer:8.3f} s       the writer")
    print(
        f"  {record['cpu_seconds'] / students:8.3f} s       the command's own process: writer, messages, a share of the start"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--assignment", default="02_layer_norm", help="submissions from all over its task files"
    )
    parser.add_argument(
        "--seconds", type=float, help="instead: notebooks whose cells cost so much CPU"
    )
    parser.add_argument(
        "--nbgrader", type=int, help="how many of the class nbgrader grades as well (all)"
    )
    parser.add_argument(
        "--at-least", type=float, help="end with 1 if ours is not so many times faster"
    )
    options = parser.parse_args()
    theirs_too = options.students if options.nbgrader is None else options.nbgrader

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.seconds is None:
            a_class = answers_class(
                ROOT, options.assignment, options.students, folder / "ours", spread=True
            )
        else:
            a_class = synthetic_class(options.seconds, options.students, folder / "ours")
        print(
            f"{options.students} submissions of {a_class.title}, on {os.cpu_count()} processors, "
            f"load {os.getloadavg()[0]:.1f} at the start",
            flush=True,
        )
        bare = bare_cpu(a_class)
        print(f"bare CPU {bare:.3f} s a submission", flush=True)
        theirs = grade_with_nbgrader(a_class, theirs_too, folder) if theirs_too else None
        if theirs:
            print(
                f"nbgrader {theirs[0].seconds / theirs_too:.3f} s a submission, "
                f"{theirs[0].seconds:.1f} s for {theirs_too}",
                flush=True,
            )
        ours, scores, record = grade_with_ours(a_class, options.workers, folder)
        report(ours, record, bare, options.workers)
        limit = bare / (os.cpu_count() or 1) * options.students
        print(f"{limit / ours.seconds:.0%} of what these processors allow: bare CPU, shared out")
        return compare(ours, scores, theirs, theirs_too, options) if theirs else 0


def compare(ours: Timed, scores: dict, theirs: tuple[Timed, dict], theirs_too: int, options) -> int:
    took, their_scores = theirs
    different = [name for name in their_scores if scores.get(name) != their_scores[name]]
    ratio = took.seconds / theirs_too / (ours.seconds / options.students)
    print(
        f"\n{ratio:.1f} times as fast as nbgrader; {len(their_scores) - len(different)} of {theirs_too} scores are equal"
    )
    for name in different:
        print(f"  {name}: {scores.get(name)}, under nbgrader {their_scores[name]}")
    return int(bool(different) or len(their_scores) < theirs_too or ratio < (options.at_least or 0))


if __name__ == "__main__":
    sys.exit(main())
