"""What sessions see of a course: plain data, and the check that it gives away nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nbseal.errors import CourseError

PRIVATE = ".nbseal"  # a folder in a course's root that no session and no student sees


@dataclass(frozen=True)
class CourseView:
    """What sessions may see of a course: these files, and nothing else of its folder.

    Made by course_view, which checks it; travels with every order.
    """

    root: str
    files: tuple[str, ...] = ()  # below root; what every notebook may read
    hidden: tuple[str, ...] = ()  # sources, submissions, results, gradebook, wherever they lie

    @classmethod
    def of_json(cls, fields: dict) -> CourseView:
        """What dataclasses.asdict made of one, after JSON."""
        return cls(fields["root"], tuple(fields["files"]), tuple(fields["hidden"]))


def course_view(root: Path, files: Iterable[str] = (), hidden: Iterable[Path] = ()) -> CourseView:
    """What sessions see of the course in `root`. Raises CourseError for a file that is missing, or
    that the course cannot give."""
    root, hidden = Path(root).resolve(), [Path(path).resolve() for path in hidden]
    names = [os.path.normpath(name) for name in files]
    for name in names:
        if problem := _problem_with(root, name, hidden):
            raise CourseError(
                f"course_files in {root / 'nbgrader_config.py'} names {name!r}, {problem}."
            )
    return CourseView(str(root), tuple(dict.fromkeys(names)), tuple(map(str, hidden)))


def _problem_with(root: Path, name: str, hidden: list[Path]) -> str | None:
    place = (root / name).resolve()
    if os.path.isabs(name):
        return f"an absolute path: write it as seen from {root}"
    if name == "." or not place.is_relative_to(root) or place == root:
        return f"which leads outside of what a course may give: name files and folders below {root}"
    if not place.exists():
        return "which does not exist: create it, or take the name out"
    secrets = (p for p in hidden if p.is_relative_to(place) or place.is_relative_to(p))
    if secret := next(secrets, None):
        of = "holds" if secret.is_relative_to(place) else "lies in"
        return f"which {of} {secret}, and that no submission may read: name other parts"
    return None
