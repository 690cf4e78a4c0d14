"""Submissions that cannot be graded, and the sentence that says why."""

from pathlib import Path

from jsonschema import ValidationError as MetadataError
from nbformat import ValidationError
from nbformat.reader import NotJSONError
from nbgrader.nbgraderformat import SchemaTooNewError, SchemaTooOldError

LARGEST_NOTEBOOK = 256 << 20  # bytes; far above any notebook with figures, far below what fills a machine's memory


class Damaged(Exception):
    """This submission, or one notebook of it, cannot be graded. The text is a sentence that its student may read."""


def check_file(path: Path, inside: Path) -> None:
    """Raise Damaged unless a submitted file lies inside the submission and is small enough to be read."""
    if not path.resolve().is_relative_to(inside.resolve()):
        raise Damaged(f"{path.name} is a link to a file outside the submission.")
    if not path.is_file():
        raise Damaged(f"{path.name} is not a file.")
    if path.stat().st_size > LARGEST_NOTEBOOK:
        raise Damaged(f"{path.name} has {path.stat().st_size >> 20} MB, more than the {LARGEST_NOTEBOOK >> 20} MB that are "
                      "graded: clear its outputs and hand it in again.")


class Surprise(str):
    """A reason that nobody foresaw: the fault may be the course's or this program's instead of the submission's."""


def reason_of(error: BaseException) -> str:
    """One sentence for the instructor and the student, without a traceback."""
    text = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    match error:
        case Damaged():
            return str(error)
        case NotJSONError() | UnicodeDecodeError():
            return "The file is not a notebook: it was cut off, or saved by something else than Jupyter."
        case ValidationError():
            return f"The file is not a valid notebook: {text}."
        case SchemaTooOldError() | SchemaTooNewError():
            return f"Its nbgrader metadata belong to another version of nbgrader ({text}): run `nbgrader update` on it."
        case MetadataError():
            return f"The nbgrader metadata of a cell were changed: {text}."
        case RecursionError() | MemoryError():
            return "The file is nested too deeply, or is too large, to be read."
        case RuntimeError() if "Inconsistent checksums" in text:
            return f"The nbgrader metadata of a cell were changed: {text}."
        case _:
            return Surprise(f"The notebook could not be graded: {type(error).__name__}: {text[:300]}.")
