"""Grade answers: in scratch courses, with this project's engine or with nbgrader's own; or
each solution cell by itself, in an engine that is warm."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from nbseal.authoring import scratch_course
from nbseal.authoring.class_results import Graded, read_class
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course
from nbseal.engine.engine import Engine
from nbseal.errors import CourseError
from nbseal.notebook import files, marks
from nbseal.records import GradedExecution, Limits, Work

from tools.answers import Answer, build_submission
from tools.cells_alone import Task, tasks

PATIENT = Limits(cell_seconds=60)  # as long as the course lets a cell take


def tasks_by_name(course: Course, assignment: str) -> dict[str, Task]:
    """Solution cell -> it with its own tests, for those that are tested before the next begins."""
    return {
        task.name: task
        for path in course.source_notebooks(assignment)
        for task in tasks(files.read(path))
    }


def grade_in(engine: Engine, course: Course, answers: Iterable[Answer]) -> dict[str, Graded]:
    """Grade answers of one assignment that are one solution cell each, by that cell's own tests,
    under one key. Returns answer name -> result."""
    answers = list(answers)
    [assignment] = {answer.assignment for answer in answers}
    [path] = course.source_notebooks(assignment)
    source, known = files.read(path), tasks_by_name(course, assignment)
    points = {str(marks.grade_id(cell)): marks.points(cell) or 0.0 for cell in source.cells}
    prepared = engine.prepare(source, source, name=assignment, folder=path.parent, self_test=False)
    beside = prepared.answer_key.folder if prepared.answer_key else None
    running = []
    for answer in answers:
        [(name, text)] = answer.cells.items()
        work = Work(answer.name, assignment, known[name].submission(text), beside)
        running.append((answer, known[name], engine.submit(work)))
    return {
        answer.name: _of_its_tests(task, points, future.result())
        for answer, task, future in running
    }


def _of_its_tests(task: Task, points: dict[str, float], result: GradedExecution) -> Graded:
    verdicts = {verdict.grade_id: verdict for verdict in result.verdicts}
    passed = {name: name in verdicts and verdicts[name].passed for name in task.tests}
    errors = {
        str(marks.grade_id(cell)): [one for one in shown.outputs if one.output_type == "error"]
        for number, cell in enumerate(task.notebook.cells)
        if (shown := result.cells.get(number))
    }
    return Graded(
        {name: points[name] if passed[name] else 0.0 for name in task.tests},
        {name: points[name] for name in task.tests},
        {
            name: "\n".join(f"{error.ename}: {error.evalue}" for error in found)
            for name, found in errors.items()
            if found and name in task.tests
        },
        {
            name: list(verdicts[name].failed) if name in verdicts else []
            for name in task.tests
            if not passed[name]
        },
    )


def grade_with_engine(
    course: Course, answers: list[Answer], folder: Path, workers: int = 2
) -> dict[str, Graded]:
    """Grade answers of one assignment with `nbseal autograde`; returns answer name -> result.

    An answer that could not be graded is missing from the result.
    """
    command = ["-m", "nbseal", "autograde", "--create", f"--workers={workers}"]
    return _grade(course, [answers], folder, command, "sealed")


def grade_with_nbgrader(
    course: Course, answers: list[Answer], folder: Path, processes: int = 2
) -> dict[str, Graded]:
    """Grade answers of one assignment with nbgrader's own command and engine; returns answer name
    -> result.

    Each process has a course and a gradebook of its own under `folder`, since a gradebook takes one
    writer. An answer
    that nbgrader could not grade is missing from the result.
    """
    shares = [share for share in (answers[start::processes] for start in range(processes)) if share]
    return _grade(course, shares, folder, ["-m", "nbgrader", "autograde", "--create"], "nbgrader")


def _grade(
    course: Course, shares: list[list[Answer]], folder: Path, command: list[str], engine: str
) -> dict[str, Graded]:
    [assignment] = {answer.assignment for share in shares for answer in share}
    courses = [
        _hand_in(course, assignment, share, folder / f"course_{number}")
        for number, share in enumerate(shares)
    ]
    # nbgrader's once more where it failed: two kernels may have been given one port
    for _ in range(2 if engine == "nbgrader" else 1):
        running = [_start([*command, assignment], scratch, engine) for scratch in courses]
        ended = [process.wait() for process in running]
        if not any(ended):
            break
    results: dict = {}
    for scratch in courses:
        results |= read_class(scratch, assignment)
    if not results:
        raise CourseError(
            f"no submission of {assignment} could be graded: "
            f"{(courses[0].root / 'log').read_text()[-2000:]}"
        )
    return results


def _hand_in(course: Course, assignment: str, answers: list[Answer], folder: Path) -> Course:
    scratch = scratch_course.make(course, assignment, folder)
    for answer in answers:
        scratch_course.hand_in(scratch, answer.name, assignment, build_submission(course, answer))
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
