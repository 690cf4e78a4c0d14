"""What stands at the top of a feedback page: one row for each task, and how it went."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nbformat import NotebookNode

from nbseal.notebook.marks import grade_id, is_test, locked
from nbseal.notebook.notes import verdict_of
from nbseal.pages.safe_html import calm_tex

HEADING = re.compile(r"^#{1,6}[ \t]+(\S.{0,200})", re.M)
LONGEST = 120  # letters of a title


@dataclass(frozen=True)
class Row:
    """A cell that carries points."""

    anchor: str  # its name, for links
    title: str
    score: float
    points: float
    first: str = ""  # the first check that failed, and what is said about it
    waits: bool = False  # for a person to grade it

    @property
    def is_full(self) -> bool:
        return self.score >= self.points


def rows(nb: NotebookNode) -> list[Row]:
    """The rows of an autograded notebook, after nbgrader has put scores into its cells."""
    found: list[Row] = []
    heading = ""
    for cell in nb.cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and locked(cell) and (said := HEADING.search(cell.source)):
            heading = said[1].strip()
        if "points" in marks and (marks.get("grade") or marks.get("task")):
            title = _title(heading, str(grade_id(cell)), [row.title for row in found])
            score, points = float(marks.get("score") or 0), float(marks["points"])
            first = _what_went_wrong(cell) if score < points else ""
            waits = bool(marks.get("waits"))
            found.append(Row(str(grade_id(cell)), title, score, points, first, waits))
    return found


def _title(heading: str, name: str, others: list[str]) -> str:
    """A task's own heading; its name, where there is none or another test has it already."""
    name = name.removesuffix("_test")
    title = calm_tex(heading)[:LONGEST] or name
    return f"{title}: {name}" if title in others else title


def _what_went_wrong(cell: NotebookNode) -> str:
    verdict = verdict_of(cell) if is_test(cell) else None
    if verdict is None or verdict.passed:
        return ""
    first = next((check for check in verdict.failed if not check.is_passed_over), None)
    if first is None:
        return "The test did not run to its end."
    if first.reached and first.safe:  # a sentence that is complete without a label
        return first.safe
    return ": ".join(filter(None, (first.label, first.mistake or first.safe)))
