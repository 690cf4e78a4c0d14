"""Submissions that cannot be graded, and the sentence that says why."""

from pathlib import Path

# bytes; far above any notebook with figures, far below what fills a machine's memory
LARGEST_NOTEBOOK = 256 << 20


class Damaged(Exception):
    """This submission, or one notebook of it, cannot be graded. The text is a sentence that its
    student may read."""


def check_file(path: Path, inside: Path) -> None:
    """Raise Damaged unless a submitted file lies inside the submission and is small enough to be
    read."""
    if not path.resolve().is_relative_to(inside.resolve()):
        raise Damaged(f"{path.name} is a link to a file outside the submission.")
    if not path.is_file():
        raise Damaged(f"{path.name} is not a file.")
    if path.stat().st_size > LARGEST_NOTEBOOK:
        raise Damaged(
            f"{path.name} has {path.stat().st_size >> 20} MB, more than the "
            f"{LARGEST_NOTEBOOK >> 20} MB that are "
            "graded: clear its outputs and hand it in again."
        )
