"""The rest of a notebook, made safe to look at: what templates write into a page without putting it
through a filter.

nbconvert's templates write the width of a picture without quotes, an execution count as it is,
JavaScript outputs as scripts; nbgrader's write names of students. A preprocessor of nbconvert's
HTMLExporter, which Formgrader and feedback share.
"""

import html
import re

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from nbseal.notebook.notes import OURS
from nbseal.notebook.text import plain
from nbseal.pages.formulas import latex_as_html
from nbseal.pages.safe_pictures import SIGNATURES, safe_picture

# HTML and markdown are cleaned when they are rendered
TEXTS = {"text/plain", "text/html", "text/markdown"}
PICTURES = {*SIGNATURES, "image/svg+xml"}
NO_ALT = "No description has been provided for this image"  # nbconvert's words
GRADE_ID = re.compile(r"[\w.-]+")
# what Formgrader tells its template about a submission
LABELS = ("student", "first_name", "last_name", "notebook_path")


class SafeToLookAt(Preprocessor):
    """Keep of cells, outputs and metadata only what a reader sees, each part of the type that it
    should have."""

    enabled = True

    def preprocess(self, nb: NotebookNode, resources: dict):
        # in place: the exporter looks for widgets here
        for name in set(nb.metadata) - {OURS, "kernelspec"}:
            del nb.metadata[name]
        nb.metadata.language_info = NotebookNode(name="python", pygments_lexer="ipython3")
        nb.cells = [_safe_cell(cell) for cell in nb.cells]
        for name in LABELS:
            if isinstance(resources.get(name), str):
                resources[name] = html.escape(resources[name])
        return nb, resources


def _safe_cell(cell: NotebookNode) -> NotebookNode:
    cell.source = str(cell.source)
    cell.metadata = NotebookNode(
        {name: cell.metadata[name] for name in ("nbgrader", OURS) if name in cell.metadata}
    )
    marks = cell.metadata.get("nbgrader")
    if marks is not None and not GRADE_ID.fullmatch(str(marks.get("grade_id", ""))):
        del cell.metadata["nbgrader"]
    if "id" in cell and not GRADE_ID.fullmatch(str(cell.id)):
        del cell["id"]
    if cell.cell_type == "code":
        cell.execution_count = _count(cell.get("execution_count"))
        cell.outputs = [_safe_output(output) for output in cell.get("outputs", [])]
    if isinstance(cell.get("attachments"), dict):
        cell.attachments = {
            name: safe for name, bundle in cell.attachments.items() if (safe := _pictures(bundle))
        }
    return cell


def _pictures(bundle: dict) -> dict[str, str]:
    """The pictures of an attachment. Raster formats only: nbconvert wants SVG as base64, which
    notebooks have as either."""
    if not isinstance(bundle, dict):
        return {}
    found = {
        mime: safe_picture(mime, _text(data)) for mime, data in bundle.items() if mime in SIGNATURES
    }
    return {mime: data for mime, data in found.items() if data}


def _safe_output(output: NotebookNode) -> NotebookNode:
    if output.output_type == "stream":
        output.text = _text(output.get("text", ""))
    elif output.output_type == "error":
        output.traceback = [_text(line) for line in output.get("traceback", [])]
    else:
        output.data = _safe_data(output.get("data", {}))
        told = output.get("metadata", {})
        output.metadata = NotebookNode(
            {mime: _safe_description(told.get(mime)) for mime in output.data if mime in PICTURES}
        )
        if "execution_count" in output:
            output.execution_count = _count(output.execution_count)
    return output


def _safe_description(told: object) -> NotebookNode:
    """What is told of a picture: its size, and in words what it shows."""
    kept = NotebookNode(alt=NO_ALT)
    for name, kind in (("width", int), ("height", int), ("alt", str)):
        if isinstance(told, dict) and isinstance(told.get(name), kind):
            kept[name] = plain(told[name]) if kind is str else told[name]
    return kept


def _safe_data(bundle: dict) -> NotebookNode:
    """The representations of an output that a page can show. A picture that is none leaves a
    note."""
    kept = NotebookNode()
    for mime, data in bundle.items():
        if mime in TEXTS:
            kept[mime] = _text(data)
        elif mime == "text/latex":
            kept.setdefault("text/html", latex_as_html(_text(data)))
        elif mime in PICTURES and (picture := safe_picture(mime, _text(data))):
            kept[mime] = picture
    if bundle and not kept:
        kept["text/plain"] = f"(Not shown here: {', '.join(map(str, bundle))[:200]})"
    return kept


def _text(data: object) -> str:
    if isinstance(data, list):
        return "".join(map(str, data))
    return data if isinstance(data, str) else str(data)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
