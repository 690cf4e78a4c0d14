"""The page that a student reads: first the score and a row for each task, then the notebook, with
what was given and what was checked folded away. It is one file without a script, and needs no
network: nbgrader's exchange and learning management systems hand on one file each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode
from traitlets.config import Config

from nbseal.notebook.marks import grade_id, is_test, locked
from nbseal.notebook.notes import verdict_of
from nbseal.pages.formulas import with_formulas
from nbseal.pages.safe_html import clean, clean_html

TEMPLATES = Path(__file__).resolve().parent / "feedback_templates"
TEMPLATE = "nbseal_feedback"
NBGRADERS = "feedback"  # the template that nbgrader chooses where a course names none
CELLS_KEPT = 256  # coloured cells: what a course gives is the same on every student's page
COLOURLESS = re.compile(r'<span class="[npw]">([^<]*)</span>')
HEADING = re.compile(r"^#{1,6}[ \t]+(\S.{0,200})", re.M)
LONGEST = 120  # letters of a title


class FeedbackExporter(HTMLExporter):
    """nbconvert's, with this project's template where the course has none of its own."""

    def __init__(self, config: Config | None = None, **more: Any):
        config = Config(config or {})
        if config.HTMLExporter.get("template_name", NBGRADERS) == NBGRADERS:
            config.FeedbackExporter.template_name = TEMPLATE
            config.FeedbackExporter.extra_template_basedirs = [str(TEMPLATES)]
        super().__init__(config=config, **more)
        self.register_filter("with_formulas", lambda text: clean(with_formulas(text)))
        self._coloured = lru_cache(CELLS_KEPT)(self._colour)

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **more: Any) -> Any:
        """The page. nbconvert's own method reads a finished page again, for what only JupyterLab's
        template needs: two thirds of all its time."""
        if self.template_name != TEMPLATE:
            return super().from_notebook_node(nb, resources, **more)
        self.register_filter("highlight_code", self._coloured)
        return TemplateExporter.from_notebook_node(self, nb, resources, **more)

    def _colour(self, source: str) -> str:
        """A cell's code, coloured and clean. Names and brackets have no colour: the marks around
        them would be a third of a page."""
        markup = clean_html(Highlight2HTML(pygments_lexer="ipython3", parent=self)(source))
        return COLOURLESS.sub(r"\1", markup)


@dataclass(frozen=True)
class Row:
    """A cell that carries points, as a row at the top of the page."""

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
    title = heading[:LONGEST] or name
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
