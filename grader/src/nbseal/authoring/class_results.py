"""What nbgrader's gradebook and autograded notebooks say about a graded class."""

from dataclasses import dataclass
from pathlib import Path

from nbseal.course import Course
from nbseal.notebook import files, marks
from nbseal.notebook.notes import failed_of
from nbseal.records import CheckResult


@dataclass(frozen=True)
class Graded:
    """One graded submission: points by graded cell, and what the failing ones said."""

    scores: dict[str, float]  # in the notebook's order
    max_scores: dict[str, float]
    messages: dict[str, str]  # graded cell -> the error's text, for cells that raised one
    # cell of tests -> what failed in it, for those that gave less than their points
    failures: dict[str, list[CheckResult]]
    hours_late: float = 0.0

    @property
    def score(self) -> float:
        return sum(self.scores.values())

    @property
    def max_score(self) -> float:
        return sum(self.max_scores.values())

    @property
    def failed(self) -> list[str]:
        """Graded cells that gave less than their points, in the notebook's order."""
        return [name for name, score in self.scores.items() if score < self.max_scores[name]]


def read_class(scratch: Course, assignment: str, db_url: str | None = None) -> dict[str, Graded]:
    """All autograded submissions of an assignment: student -> result. Students who could not be
    graded are missing."""
    from nbgrader.api import Gradebook

    notebook_id = scratch.source_notebook(assignment).stem
    with Gradebook(db_url or f"sqlite:///{scratch.root / 'gradebook.db'}") as gradebook:
        submissions = {
            submission.student.id: (
                {
                    grade.name: (grade.score, grade.max_score)
                    for grade in submission.notebooks[0].grades
                },
                submission.total_seconds_late / 3600,
            )
            for submission in gradebook.assignment_submissions(assignment)
        }
    results = {}
    for student, (grades, late) in sorted(submissions.items()):
        path = scratch.root / "autograded" / student / assignment / f"{notebook_id}.ipynb"
        if path.is_file():
            results[student] = _result(path, grades, late)
    return results


def _result(path: Path, grades: dict[str, tuple[float, float]], late: float) -> Graded:
    graded = [cell for cell in files.read(path).cells if marks.grade_id(cell) in grades]
    names = [name for cell in graded if (name := marks.grade_id(cell))]
    messages: dict[str, str] = {}
    for cell in graded:
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        if errors:
            messages[marks.grade_id(cell) or ""] = "\n".join(
                f"{error.ename}: {error.evalue}" for error in errors
            )
    lost = [cell for cell, name in zip(graded, names) if grades[name][0] < grades[name][1]]
    return Graded(
        scores={name: grades[name][0] for name in names},
        max_scores={name: grades[name][1] for name in names},
        messages=messages,
        failures={marks.grade_id(cell) or "": failed_of(cell) for cell in lost},
        hours_late=late,
    )
