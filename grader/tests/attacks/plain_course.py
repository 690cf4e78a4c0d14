"""A course whose tests are plain asserts, which run inside the student's process; for attacks that
no sealing stops."""

from pathlib import Path

import nbformat
from attacks.besieged import Siege
from nbseal.course import Course
from support.classroom import ASSIGNMENT, NOTEBOOK, PLAIN, RIGHT, Classroom
from support.fixtures import TINY


def make_plain(folder: Path, user: str) -> Siege:
    """The course, and one honest student."""
    room = Classroom(folder / "course", PLAIN)
    root = room.root
    (root / "nbgrader_config.py").write_text((TINY / "nbgrader_config.py").read_text())
    (root / "source").rename(root / "solutions")
    (root / "release").rename(root / "exercises")
    (root / "data").mkdir(exist_ok=True)
    siege = Siege(Course.at(root), ASSIGNMENT, folder / "home", user)
    nb = nbformat.from_dict(room.released)
    for cell in nb.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = RIGHT.get(name, cell.source)
    siege.hand_in("honest", nb)
    return siege


__all__ = ["NOTEBOOK", "make_plain"]
