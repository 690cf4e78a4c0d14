"""Why a submission could not be graded, in one sentence."""

from jsonschema import ValidationError as MetadataError
from nbformat import ValidationError
from nbformat.reader import NotJSONError
from nbgrader.nbgraderformat import SchemaTooNewError, SchemaTooOldError

from nbseal.apart import Raised
from nbseal.engine.executions import NotRun
from nbseal.intake.damage import Damaged


class Surprise(str):
    """A reason that nobody foresaw: the fault may be the course's or this program's instead of the
    submission's."""


def reason_of(error: BaseException) -> str:
    """One sentence for the instructor and the student, without a traceback."""
    text = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    match error:
        case Damaged() | NotRun():
            return str(error)
        case Raised():
            return Surprise(f"The notebook could not be graded: {text[:300]}.")
        case NotJSONError() | UnicodeDecodeError():
            return (
                "The file is not a notebook: it was cut off, or saved by something else than "
                "Jupyter."
            )
        case ValidationError():
            return f"The file is not a valid notebook: {text}."
        case SchemaTooOldError() | SchemaTooNewError():
            return (
                f"Its nbgrader metadata belong to another version of nbgrader ({text}): run "
                "`nbgrader update` on it."
            )
        case MetadataError():
            return f"The nbgrader metadata of a cell were changed: {text}."
        case RecursionError() | MemoryError():
            return "The file is nested too deeply, or is too large, to be read."
        case RuntimeError() if "Inconsistent checksums" in text:
            return f"The nbgrader metadata of a cell were changed: {text}."
        case _:
            return Surprise(
                f"The notebook could not be graded: {type(error).__name__}: {text[:300]}."
            )
