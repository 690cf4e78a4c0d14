"""A Sphinx extension: what a page of the course needs beyond what its notebook says.

A notebook is changed while it is read and not on disk, so the one that a reader downloads is the
one of the course.
"""

import base64
import hashlib
import os
import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
from docutils import nodes
from nbformat import NotebookNode
from nbseal.course import Course
from sphinx.application import Sphinx
from sphinx.util import logging

from tools.settings import PLACEHOLDER, Settings, of

ROOT = Path(__file__).resolve().parent.parent.parent
LOGGER = logging.getLogger(__name__)

BADGE = re.compile(
    r"\[!\[Open in Colab\]\([^)]*\)\]\([^)]*\)\s*|\*Part of the course “[^”]*”\.\*\s*"
)
TITLE = re.compile(r"#\s*@title\s+([^{\n]+)")  # of a Colab form
ITALIC = re.compile(r"\*(?:Figure:\s*)?([^*\n].*?)\*[ ]*(?:\n|$)", re.DOTALL)
LINK_INTO_PAGE = re.compile(r"\]\((?!\w+:)([^()#\s]*)#([^()\s]+)\)")
ANCHOR = re.compile(r"<a (?:id|name)=[\"']([^\"']+)[\"']>\s*</a>")
STORED_FIGURE = re.compile(r"!\[\]\((\S+\.ipynb)#([\w-]+)\)")


def slug(text: str) -> str:
    """A heading's address. JupyterLab, GitHub and Colab each spell it in another way: what is
    left when case, spaces and punctuation are taken away is the same in all of them."""
    return re.sub(r"[^\w]+", "-", unquote(text).lower()).strip("-") or "section"


def prepared(notebook: NotebookNode, path: Path, sources: Path) -> NotebookNode:
    """The notebook as a page shows it: without its badge, what is not for reading folded, and a
    way on to the next page at its end."""
    cells = map(_prepared_cell, notebook.cells)
    notebook.cells = [cell for cell in cells if cell.source.strip()]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_links_that_work(cell.source)
    if way_on := _way_on(path, sources):
        notebook.cells.append(nbformat.v4.new_markdown_cell(way_on))
    return notebook


def _prepared_cell(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "markdown":
        cell.source = BADGE.sub("", cell.source)
        return cell
    tag, prompt = _fold(cell)
    tags = cell.metadata.setdefault("tags", [])
    if tag and not {"hide-input", "hide-cell"} & set(tags):
        tags.append(tag)
    if prompt:
        cell.metadata["mystnb"] = {"code_prompt_show": prompt} | cell.metadata.get("mystnb", {})
    return cell


def _fold(cell: NotebookNode) -> tuple[str | None, str | None]:
    """MyST-NB's tag that folds this code, and what is read where it was folded."""
    marks, title = cell.metadata.get("nbgrader", {}), TITLE.match(cell.source)
    title = title and title[1].strip()
    if "setup" in (cell.get("id"), marks.get("grade_id")):
        return "hide-cell", "Show code: find or fetch the course's files"
    if marks.get("grade"):
        task = marks["grade_id"].removesuffix("_test")
        return "hide-input", title or f"Show the check of {task}"
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    folded = hidden or cell.metadata.get("cellView") == "form"
    return "hide-input" if folded else None, f"Show code: {title}" if title else None


def _way_on(path: Path, sources: Path) -> str:
    """What to read after a lecture or an exercise, as a line of Markdown."""
    if path.parent.name == "lectures":
        steps = {"Now you: exercise": f"exercises/{path.stem}/*.ipynb"}
    else:
        pair = path.parent.name  # NN_topic
        steps = {
            "Back to lecture": f"lectures/{pair}.ipynb",
            "On to lecture": f"lectures/{int(pair[:2]) + 1:02}_*.ipynb",
        }
    return " ".join(
        f"[{text} {re.search(r'[0-9]+', str(target.relative_to(sources)))[0]}]"
        f"({Path(os.path.relpath(target, path.parent)).as_posix()}){{.way-on}}"
        for text, pattern in steps.items()
        for target in sorted(sources.glob(pattern))
    )


def with_links_that_work(markdown: str) -> str:
    """Links to headings and anchors, spelled as `slug` spells them."""
    markdown = LINK_INTO_PAGE.sub(lambda link: f"]({link[1]}#{slug(link[2])})", markdown)
    lines = []
    for line in markdown.split("\n"):
        lines += [f"({slug(name)})=" for name in ANCHOR.findall(line)]
        lines.append(ANCHOR.sub("", line))
    return "\n".join(lines)


def figures(notebook: NotebookNode) -> dict[str, str | None]:
    """The pictures stored in a notebook, by the SHA-256 of their bytes, each with its description:
    the one stored with it, else the italic line below its cell; None where there is neither."""
    found = {}
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if picture := output.get("data", {}).get("image/png"):
                metadata = output.get("metadata", {})
                alt = metadata.get("image/png", {}).get("alt") or metadata.get("alt")
                alt = alt or cell.metadata.get("mystnb", {}).get("image", {}).get("alt")
                digest = hashlib.sha256(base64.b64decode(picture)).hexdigest()
                found[digest] = alt or _italic_line_below(notebook.cells[number + 1 :])
    return found


def _italic_line_below(cells: list[NotebookNode]) -> str | None:
    for cell in cells:
        if cell.cell_type == "markdown":
            line = ITALIC.match(cell.source.lstrip())
            return line and " ".join(line[1].split())
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            return None
    return None


def read_page(app: Sphinx, docname: str, content: list[str]) -> None:
    """Before a page is parsed."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        notebook = nbformat.reads(content[0], as_version=4)
        app.env.temp_data["course_figures"] = figures(notebook)
        content[0] = nbformat.writes(prepared(notebook, path, Path(app.srcdir)))
    else:
        content[0] = STORED_FIGURE.sub(
            lambda link: _stored_figure(path.parent, *link.groups()), content[0]
        )
        content[0] = with_links_that_work(content[0])


def _stored_figure(folder: Path, notebook: str, cell: str) -> str:
    """A figure of a lecture for another page: `![](lecture.ipynb#cell)`."""
    cells = nbformat.read(folder / notebook, as_version=4)
    wanted = [each for each in cells.cells if each.get("id") == cell]
    outputs = wanted[0].get("outputs", []) if wanted else []
    pictures = [out.data["image/png"] for out in outputs if "image/png" in out.get("data", {})]
    if not pictures:
        LOGGER.warning("%s has no figure in a cell %s: choose another one", notebook, cell)
        return ""
    data = base64.b64decode(pictures[0])
    (folder / f"{cell}.png").write_bytes(data)
    alt = figures(cells)[hashlib.sha256(data).hexdigest()] or ""
    plain = re.sub(r"([^\w\s])", r"\\\1", alt)  # no sign of it is Markdown
    return f"![{plain}]({cell}.png)"


def describe_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Give every figure its description. MyST-NB names a picture's file by the hash of its bytes,
    and knows one description for a whole cell only."""
    stored = app.env.temp_data.get("course_figures", {})
    for image in doctree.findall(nodes.image):
        digest = Path(image["uri"]).stem
        if alt := stored.get(digest):
            image["alt"] = alt
        if not image.get("alt"):
            LOGGER.warning("a figure has no description (alt text)", location=image)


def colab_address(settings: Settings, docname: str) -> str | None:
    """Where Colab opens this notebook; None while nobody put an address into course.toml."""
    if not settings.github or PLACEHOLDER in settings.repository:
        return None
    return (
        f"https://colab.research.google.com/github/{settings.github}"
        f"/blob/{settings.revision}/{docname}.ipynb"
    )


def add_buttons(app: Sphinx, docname: str, template: str, context: dict, doctree) -> None:
    """What page-buttons.html shows."""
    if context.get("page_source_suffix") == ".ipynb":
        context["colab"] = colab_address(of(Course.at(ROOT)), docname)
        context["download"] = f"{context['pathto']('_sources', 1)}/{context['sourcename']}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read_page)
    app.connect("doctree-read", describe_figures)
    app.connect("html-page-context", add_buttons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
