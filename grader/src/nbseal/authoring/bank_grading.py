"""Grade bank entries in scratch courses: with this project's engine, or with nbgrader's own."""

import subprocess
import sys
from pathlib import Path

from nbseal.authoring import scratch_course
from nbseal.authoring.bank import BankEntry, build_submission
from nbseal.authoring.class_results import Graded, read_class
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course
from nbseal.errors import CourseError


def grade_with_engine(
    course: Course, entries: list[BankEntry], folder: Path, workers: int = 2
) -> dict[str, Graded]:
    """Grade entries of one assignment with `nbseal autograde`; returns entry name -> result.

    An entry that could not be graded is missing from the result.
    """
    command = ["-m", "nbseal", "autograde", "--create", f"--workers={workers}"]
    return _grade(course, [entries], folder, command, "sealed")


def grade_with_nbgrader(
    course: Course, entries: list[BankEntry], folder: Path, processes: int = 2
) -> dict[str, Graded]:
    """Grade entries of one assignment with nbgrader's own command and engine; returns entry name ->
    result.

    Each process has a course and a gradebook of its own under `folder`, since a gradebook takes one
    writer. An entry
    that nbgrader could not grade is missing from the result.
    """
    shares = [share for share in (entries[start::processes] for start in range(processes)) if share]
    return _grade(course, shares, folder, ["-m", "nbgrader", "autograde", "--create"], "nbgrader")


def _grade(
    course: Course, shares: list[list[BankEntry]], folder: Path, command: list[str], engine: str
) -> dict[str, Graded]:
    [assignment] = {entry.assignment for share in shares for entry in share}
    courses = [
        _hand_in(course, assignment, share, folder / f"course_{number}")
        for number, share in enumerate(shares)
    ]
    running = [_start([*command, assignment], scratch, engine) for scratch in courses]
    for process in running:
        process.wait()
    results: dict = {}
    for scratch in courses:
        results |= read_class(scratch, assignment)
    if not results:
        raise CourseError(
            f"no submission of {assignment} could be graded: "
            f"{(courses[0].root / 'log').read_text()[-2000:]}"
        )
    return results


def _hand_in(course: Course, assignment: str, entries: list[BankEntry], folder: Path) -> Course:
    scratch = scratch_course.make(course, assignment, folder)
    for entry in entries:
        scratch_course.hand_in(scratch, entry.name, assignment, build_submission(course, entry))
    return scratch


def _start(arguments: list[str], scratch: Course, engine: str) -> subprocess.Popen:
    # one thread each: processes share the cores
    chosen = environment(GRADING_ENGINE=engine, OMP_NUM_THREADS="1")
    with open(scratch.root / "log", "w") as log:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=scratch.root,
            env=chosen,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
