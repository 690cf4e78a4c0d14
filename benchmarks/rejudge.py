"""How long a class takes to be judged again after its tests were mended, and whether that gives
what
grading it again gives.

    python benchmarks/rejudge.py                 300 submissions of 02_layer_norm
"""

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from nbseal.authoring.class_results import read_class
from nbseal.notebook import files
from nbseal.notebook.notes import verdict_of

from benchmarks.autograde import timed
from benchmarks.classes import Class, bank_class

# Another tolerance, other sentences: what a person mends once the report is read.
MENDED = {"tolerance=5e-4": "tolerance=2e-3", "You divided by": "In words of today, you divided by"}


def mend(a_class: Class, folder: Path) -> None:
    """Change the tests of the class's course, and tell the gradebook."""
    path = a_class.course.source_notebook(a_class.assignment)
    notebook = files.read(path)
    for cell in notebook.cells:
        for old, new in MENDED.items():
            cell.source = cell.source.replace(old, new)
    files.write(notebook, path)
    arguments = ["-m", "nbgrader", "generate_assignment", a_class.assignment, "--force"]
    timed(arguments, a_class.course.root, folder / "mend.log")


def outcome(a_class: Class) -> dict:
    """Student -> scores, and for each check whether it holds and which mistake it names."""
    found = {}
    course, assignment = a_class.course, a_class.assignment
    for student, graded in read_class(course, assignment).items():
        path = course.root / "autograded" / student / assignment
        cells = files.read(path / course.source_notebook(assignment).name).cells
        verdicts = [verdict for cell in cells if (verdict := verdict_of(cell))]
        checks = [(c.label, c.ok, c.mistake) for verdict in verdicts for c in verdict.checks]
        found[student] = graded.scores, checks
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--assignment", default="02_layer_norm")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rejudge-") as name:
        folder = Path(name)
        a_class = bank_class(ROOT, arguments.assignment, arguments.students, folder / "course")
        grade = ["-m", "nbseal", "autograde", a_class.assignment, "--workers", "2"]
        first = timed(grade, a_class.course.root, folder / "first.log")
        before = outcome(a_class)
        mend(a_class, folder)
        rejudge = ["-m", "nbseal", "rejudge", a_class.assignment]
        again = timed(rejudge, a_class.course.root, folder / "again.log")
        judged = outcome(a_class)
        full = timed([*grade, "--force"], a_class.course.root, folder / "full.log")
        graded = outcome(a_class)
        scores = sum(judged[student][0] == graded[student][0] for student in graded)
        equal = sum(judged[student] == graded[student] for student in graded)
        changed = sum(judged[student] != before[student] for student in graded)
        lying = a_class.course.root.glob(".nbseal/answers/*/*/*")
        kept = sum({path.stat().st_ino: path.stat().st_size for path in lying}.values())
        print(
            f"{len(graded)} submissions of {a_class.assignment}: graded in {first.seconds:.0f} s; "
            f"after the tests were mended judged again in {again.seconds:.1f} s, graded again in "
            f"{full.seconds:.0f} s; equal in every score: {scores} of {len(graded)}; in every check "
            f"and named mistake, for other inputs: {equal} ({changed} are not as before). Answers "
            f"kept: {kept / 1e6:.1f} MB."
        )


if __name__ == "__main__":
    main()
