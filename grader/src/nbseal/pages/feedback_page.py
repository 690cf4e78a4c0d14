"""The page that a student reads: first the score and a row for each task, then the notebook, with
what was given and what was checked folded away. It needs no network: formulas are set by a copy of
MathJax in the page itself, which is most of its 2.3 MB. A file beside the pages would not reach the
student: nbgrader's exchange and learning management systems hand on one file each."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode
from traitlets.config import Config

from nbseal.pages.safe_html import clean_html

HERE = Path(__file__).resolve().parent
TEMPLATES, TEMPLATE = HERE / "feedback_templates", "nbseal_feedback"
NBGRADERS = "feedback"  # the template that nbgrader chooses where a course names none
MATHJAX = HERE / "mathjax" / "tex-svg.js"  # 3.2.2, https://www.mathjax.org, Apache License 2.0
# without what acts on the page, or loads more
MATHJAX_SETTINGS = r"""window.MathJax = {
  tex: {
    inlineMath: [["$", "$"], ["\\(", "\\)"]],
    tags: "ams",
    packages: {"[-]": ["html", "require", "autoload"]},
  },
  options: {enableMenu: false},
};
"""
FORMULA = ("$", r"\(", r"\[", r"\begin{")
CELLS_KEPT = 256  # coloured cells: what a course gives is the same on every student's page

IMAGE = re.compile(r"""<img\b(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*?)(?P<end>\s*/?>)""")
QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
ALT = re.compile(r"\balt\b", re.IGNORECASE)
NO_ALT = "No description has been provided for this image"  # nbconvert's words


class FeedbackExporter(HTMLExporter):
    """nbconvert's, with this project's template where the course has none of its own."""

    def __init__(self, config: Config | None = None, **more: Any):
        config = Config(config or {})
        if config.HTMLExporter.get("template_name", NBGRADERS) == NBGRADERS:
            config.FeedbackExporter.template_name = TEMPLATE
            config.FeedbackExporter.extra_template_basedirs = [str(TEMPLATES)]
        super().__init__(config=config, **more)
        self._coloured = lru_cache(CELLS_KEPT)(self._colour)

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **more: Any) -> Any:
        """The page. nbconvert's own method reads a finished page again to give pictures a text, and
        to do what only JupyterLab's template needs: two thirds of all its time."""
        resources["mathjax"] = mathjax() if has_formulas(nb) else ""
        if self.template_name != TEMPLATE:
            return super().from_notebook_node(nb, resources, **more)
        language = nb.metadata.get("language_info", {})
        lexer = language.get("pygments_lexer", language.get("name"))
        self.register_filter("highlight_code", lambda source, **_: self._coloured(source, lexer))
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **more)
        head, body, rest = page.partition("<body>")
        return head + body + with_alternatives(rest), resources

    def _colour(self, source: str, lexer: str | None) -> str:
        """A cell's code, coloured and clean."""
        return clean_html(Highlight2HTML(pygments_lexer=lexer, parent=self)(source))


def with_alternatives(markup: str) -> str:
    """HTML in which every picture has a text for those who do not see it."""

    def described(found: re.Match) -> str:
        if ALT.search(QUOTED.sub("", found["attributes"])):
            return found[0]
        return f'<img{found["attributes"]} alt="{NO_ALT}"{found["end"]}'

    return IMAGE.sub(described, markup)


def has_formulas(nb: NotebookNode) -> bool:
    """Whether anything in a notebook may be a formula."""
    texts = [cell.source for cell in nb.cells if cell.cell_type == "markdown"]
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            texts += [str(data) for kind, data in output.get("data", {}).items() if "text" in kind]
    return any(mark in text for text in texts for mark in FORMULA)


@cache
def mathjax() -> str:
    """MathJax and its settings, as they can stand in a page."""
    library = MATHJAX.read_text(encoding="utf-8").replace("</script", r"<\/script")
    return MATHJAX_SETTINGS + library


def after_mathjax(script: str) -> str:
    """A filter of templates: a script, behind MathJax."""
    return f"{mathjax()}\n{script}"
