"""Damaged and odd submissions under this project's autograde and under plain nbgrader, in one
table.

    python grader/benchmarks/odd_submissions.py [--only KIND,KIND]

Every kind in grader/tests/submissions/kinds is made from a right solution of the
tests' small assignment and handed in by a student of its own, twice: once for `nbseal autograde`, once for `nbgrader autograde` with nbgrader's own engine and
reader. A kind is *right* where the gradebook holds exactly the points it must; *stale* where a
score from before is still there, since each submission had one in the gradebook before. Where a
submission stops nbgrader's run, the run is started again without it, and such stops are counted.
"""

import copy
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Annotated

import nbformat
import typer
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from nbseal.authoring import scratch_course
from nbseal.authoring.nbgrader_api import environment
from nbseal.authoring.release import release
from nbseal.course import Course
from nbseal.notebook import marks
from submissions.catalogue import Draft, Kind, load_kinds
from support.classroom import RIGHT
from support.fixtures import TINY

OURS, PLAIN = "this project", "plain nbgrader"
COMMANDS = {OURS: ["-m", "nbseal", "autograde"], PLAIN: ["-m", "nbgrader", "autograde"]}
STALE = 0.5  # points that no cell gives: what is still there was not graded


def tiny_course(folder: Path) -> Course:
    """The small course of the tests, released."""
    shutil.copytree(TINY, folder)
    course = Course.at(folder)
    release(course, "01_tiny")
    return course


def prepare(course: Course, assignment: str, kinds: list[Kind], folder: Path):
    """A course with every kind handed in, and in its gradebook a score from before for each."""
    from nbgrader.api import Gradebook

    scratch = scratch_course.make(course, assignment, folder)
    released = nbformat.read(course.released_notebook(assignment), as_version=4)
    right = copy.deepcopy(released)
    for cell in right.cells:
        cell.source = RIGHT.get(marks.grade_id(cell), cell.source)
    name = scratch.source_notebook(assignment).stem
    for kind in kinds:
        path = folder / "submitted" / kind.name / assignment / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(kind.handed_in(right, released))
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for kind in kinds:
            gradebook.add_student(kind.name)
            gradebook.add_submission(assignment, kind.name)
            for grade in gradebook.find_submission_notebook(name, assignment, kind.name).grades:
                grade.auto_score = STALE
        gradebook.db.commit()
    return name, Draft(right, released)


def grade(folder: Path, assignment: str, who: str, limit: int) -> tuple[float, list[str]]:
    """Run one of the two commands until it has been through the class; returns seconds, and who
    stopped it on the way."""
    (folder / "nbgrader_config.py").write_text(_config(folder, who))
    more = {"GRADING_ENGINE": "nbgrader"} if who == PLAIN else {}
    began, stopped = time.monotonic(), []
    last = max(path.name for path in (folder / "submitted").iterdir())
    while True:
        exclude = [f"--CourseDirectory.student_id_exclude={','.join(stopped)}"] if stopped else []
        with open(folder / "log.txt", "w") as log:
            subprocess.run(
                [sys.executable, *COMMANDS[who], assignment, *exclude, "--log-level=INFO"],
                cwd=folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(OMP_NUM_THREADS="1", **more),
                timeout=limit,
            )
        # nbgrader goes through the class by name and logs where it is: a run that ends before the
        # last name was stopped.
        begun = re.findall(r"/submitted/([^/]+)/", (folder / "log.txt").read_text(errors="replace"))
        if who == OURS or not begun or max(begun) == last or begun[-1] in stopped:
            return time.monotonic() - began, stopped
        stopped.append(begun[-1])


def _config(folder: Path, who: str) -> str:
    """The course's configuration; for plain nbgrader without its reader."""
    text = (TINY / "nbgrader_config.py").read_text()
    return (
        text
        if who == OURS
        else "\n".join(line for line in text.split("\n") if "exporter_class" not in line)
    )


def results(
    folder: Path, assignment: str, name: str, kinds: list[Kind], draft: Draft
) -> dict[str, str]:
    """Kind -> `right`, `stale`, or how many points too few or too many."""
    from nbgrader.api import Gradebook

    found = {}
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for kind in kinds:
            grades = gradebook.find_submission_notebook(name, assignment, kind.name).grades
            scores = {grade.name: grade.auto_score for grade in grades}
            wanted = kind.scores(draft)
            if scores == wanted:
                found[kind.name] = "right"
            elif STALE in scores.values():
                found[kind.name] = "stale"
            else:
                found[kind.name] = f"{sum(scores.values()) - sum(wanted.values()):+g} points"
    return found


def command(
    only: Annotated[str, typer.Option(help="Kinds, separated by commas; all if not given.")] = "",
    limit: Annotated[int, typer.Option(help="Seconds that one command may take.")] = 7200,
) -> None:
    """Grade every kind twice and print the table."""
    warnings.simplefilter("ignore")  # SQLAlchemy's, about nbgrader's way of adding rows
    kinds = load_kinds()
    kinds = [kind for kind in kinds if not only or kind.name in only.split(",")]
    found, seconds, stopped = {}, {}, {}
    with tempfile.TemporaryDirectory(prefix="odd-submissions-") as scratch:
        course, assignment = tiny_course(Path(scratch) / "tiny"), "01_tiny"
        for who in COMMANDS:
            folder = Path(scratch) / who.replace(" ", "_")
            name, draft = prepare(course, assignment, kinds, folder)
            seconds[who], stopped[who] = grade(folder, assignment, who, limit)
            found[who] = results(folder, assignment, name, kinds, draft)
    table = Table("kind", "what it is", "must get", *COMMANDS, box=None, pad_edge=False)
    for kind in kinds:
        table.add_row(kind.name, kind.what, kind.gets, *(found[who][kind.name] for who in COMMANDS))
    console = Console(width=170)
    console.print(table)
    for who in COMMANDS:
        counts = [list(found[who].values()).count(result) for result in ("right", "stale")]
        kept = sum(found[who][kind.name] == "right" for kind in kinds if kind.gets != "nothing")
        console.print(
            f"{who}: {counts[0]} of {len(kinds)} kinds right ({kept} of {sum(kind.gets != 'nothing' for kind in kinds)} whose "
            f"answer can be found), {counts[1]} kept a score from before, {len(stopped[who])} stopped the run ({', '.join(stopped[who]) or 'none'}); "
            f"{seconds[who]:.0f} s",
            highlight=False,
        )


if __name__ == "__main__":
    typer.run(command)
