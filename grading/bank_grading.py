"""Grade bank entries with `nbgrader autograde`, in scratch courses that run side by side."""

import subprocess
import sys
from pathlib import Path

from grading import scratch_course
from grading.bank import BankEntry, build_submission
from grading.class_results import Graded, read_class
from grading.course import Course
from grading.errors import CourseError
from grading.nbgrader_api import environment


def grade_with_nbgrader(course: Course, entries: list[BankEntry], folder: Path, processes: int = 2) -> dict[str, Graded]:
    """Grade entries of one assignment with nbgrader's own command; returns entry name -> result.

    Each process has a course and a gradebook of its own under `folder`, since a gradebook takes one writer. An entry
    that nbgrader could not grade is missing from the result.
    """
    [assignment] = {entry.assignment for entry in entries}
    shares = [share for share in (entries[start::processes] for start in range(processes)) if share]
    courses = [_hand_in(course, assignment, share, folder / f"course_{number}") for number, share in enumerate(shares)]
    running = [_start_nbgrader(scratch, assignment) for scratch in courses]
    for process in running:
        process.wait()
    results = {}
    for scratch in courses:
        results |= read_class(scratch, assignment)
    if not results:
        raise CourseError(f"nbgrader graded no submission of {assignment}; it said: "
                          f"{(courses[0].root / 'nbgrader.log').read_text()[-2000:]}")
    return results


def _hand_in(course: Course, assignment: str, entries: list[BankEntry], folder: Path) -> Course:
    scratch = scratch_course.make(course, assignment, folder)
    for entry in entries:
        scratch_course.hand_in(scratch, entry.name, assignment, build_submission(course, entry))
    return scratch


def _start_nbgrader(scratch: Course, assignment: str) -> subprocess.Popen:
    # nbgrader's own engine, and one thread each: several processes share the cores.
    chosen = environment(GRADING_ENGINE="nbgrader", OMP_NUM_THREADS="1")
    with open(scratch.root / "nbgrader.log", "w") as log:
        return subprocess.Popen([sys.executable, "-m", "nbgrader", "autograde", assignment, "--create"],
                                cwd=scratch.root, env=chosen, stdout=log, stderr=subprocess.STDOUT)
