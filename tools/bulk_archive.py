"""A download of 300 submissions, a third of them odd: collected, graded and reported in one go,
with the times.

    python -m tools.bulk_archive [--assignment 02_layer_norm] [--students 300]

Two thirds are right and wrong solutions of the task files, under the names that browsers and
people give them; the last third goes through the kinds of grader/tests/submissions/kinds. All lie
in one archive as Moodle makes them. Afterwards the gradebook must hold the points that each answer
 and each kind says, and the report and the tables must be there.
"""

import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import nbformat
import typer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "grader" / "tests"))

from nbseal.authoring import scratch_course
from nbseal.authoring.class_results import read_class
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course
from submissions.catalogue import Draft, load_kinds

from tools.answers import Assignment, build_submission, load_answers

# what people call their file
NAMES = ("{0}.ipynb", "Copy of {0}.ipynb", "{0} (1).ipynb", "{0}-Copy1.ipynb", "{0}_final.ipynb")


def make_archive(
    course: Course, assignment: str, students: int, archive: Path
) -> dict[str, dict[str, float]]:
    """Write the download; returns student -> points of each graded cell that it must get."""
    points = Assignment.of(course, assignment).points
    released = nbformat.read(course.released_notebook(assignment), as_version=4)
    answers, kinds, name = (
        load_answers(course, assignment),
        load_kinds(),
        course.source_notebook(assignment).stem,
    )
    right = build_submission(course, next(answer for answer in answers if answer.is_right))
    built = {
        answer.name: nbformat.writes(build_submission(course, answer)).encode()
        for answer in answers
    }
    odd = students // 3
    expected = {}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as download:

        def add(number: int, file: str, content: bytes, scores: dict[str, float]) -> None:
            download.writestr(
                f"Student {number:04}_{1000000 + number}_assignsubmission_file_/{file}", content
            )
            expected[f"Student_{number:04}"] = scores

        for number, answer in enumerate(islice(cycle(answers), students - odd)):
            scores = {
                test: 0.0 if test in answer.fails else worth for test, worth in points.items()
            }
            add(number, NAMES[number % len(NAMES)].format(name), built[answer.name], scores)
        for number, kind in enumerate(islice(cycle(kinds), odd), start=students - odd):
            add(
                number,
                f"{name}.ipynb",
                kind.handed_in(right, released),
                kind.scores(Draft(right, released)),
            )
    return expected


def run(folder: Path, *arguments: str) -> tuple[float, str]:
    """Run `nbseal ...` in the course; returns seconds and what it printed last. Ends all if it
    fails.

    1 means that some files need a person, which is what an odd class is for."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "nbseal", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment(OMP_NUM_THREADS="1", COLUMNS="160"),
    )
    if done.returncode not in (0, 1):
        sys.exit(
            f"nbseal {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
    return time.monotonic() - began, (
        done.stderr if done.returncode else done.stdout
    ).strip().rpartition("\n")[2].strip()


def command(
    assignment: Annotated[
        str, typer.Option(help="The assignment that was handed in.")
    ] = "02_layer_norm",
    students: Annotated[int, typer.Option(help="Submissions in the archive.")] = 300,
) -> None:
    """Make the archive, run the three commands, compare the gradebook with what it must hold."""
    warnings.simplefilter("ignore")  # nbformat's, about the notebooks that are odd on purpose
    course = Course.at(ROOT)
    with tempfile.TemporaryDirectory(prefix="bulk-archive-") as scratch:
        folder, archive = Path(scratch) / "course", Path(scratch) / "submissions.zip"
        made = scratch_course.make(course, assignment, folder)
        expected = make_archive(course, assignment, students, archive)
        print(
            f"{students} submissions of {assignment}, {students // 3} of them odd, {archive.stat().st_size >> 20} MB"
        )
        total = 0.0
        for arguments in (
            ("collect", assignment, str(archive)),
            ("autograde", assignment),
            ("report", assignment),
        ):
            seconds, said = run(folder, *arguments)
            total += seconds
            print(f"  {arguments[0]:<10} {seconds:6.1f} s   {said[:118]}", flush=True)
        print(f"  {'together':<10} {total:6.1f} s")
        found = {student: graded.scores for student, graded in read_class(made, assignment).items()}
        files = sorted(path.name for path in (folder / "reports" / assignment).iterdir())
    wrong = sorted(student for student in expected if found.get(student) != expected[student])
    print(
        f"{len(expected) - len(wrong)} of {len(expected)} have exactly the points they must; in reports/: {', '.join(files)}"
    )
    sys.exit(f"not: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    typer.run(command)
