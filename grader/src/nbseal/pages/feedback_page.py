"""The page that a student reads: first the score and a row for each task, then the notebook, with
what was given and what was checked folded away. It needs no network: formulas are set by a copy of
MathJax in the page itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
TEMPLATES, TEMPLATE = HERE / "feedback_templates", "nbseal_feedback"
NBGRADERS = "feedback"  # the template that nbgrader chooses where a course names none
MATHJAX = HERE / "mathjax" / "tex-svg.js"  # 3.2.2, https://www.mathjax.org, Apache License 2.0
FORMULA = ("$", r"\(", r"\[", r"\begin{")


class FeedbackExporter(HTMLExporter):
    """nbconvert's, with this project's template where the course has none of its own."""

    def __init__(self, config: Config | None = None, **more: Any):
        config = Config(config or {})
        if config.HTMLExporter.get("template_name", NBGRADERS) == NBGRADERS:
            config.FeedbackExporter.template_name = TEMPLATE
            config.FeedbackExporter.extra_template_basedirs = [str(TEMPLATES)]
        super().__init__(config=config, **more)

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **more: Any) -> Any:
        resources["mathjax"] = mathjax() if has_formulas(nb) else ""
        return super().from_notebook_node(nb, resources, **more)


def has_formulas(nb: NotebookNode) -> bool:
    """Whether anything in a notebook may be a formula."""
    texts = [cell.source for cell in nb.cells if cell.cell_type == "markdown"]
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            texts += [str(data) for kind, data in output.get("data", {}).items() if "text" in kind]
    return any(mark in text for text in texts for mark in FORMULA)


@cache
def mathjax() -> str:
    """MathJax, as it can stand in a page."""
    return MATHJAX.read_text(encoding="utf-8").replace("</script", r"<\/script")
