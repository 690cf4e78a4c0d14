"""The one way into nbgrader's API: with the course's configuration, in a folder of its own, errors
as sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nbseal.course import Course
from nbseal.errors import CourseError

if TYPE_CHECKING:
    from nbgrader.apps import NbGraderAPI

PACKAGE_ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def open_api(course: Course, root: Path) -> Iterator[NbGraderAPI]:
    """nbgrader's API with the course's nbgrader_config.py, working in `root` and with a gradebook
    there."""
    from nbgrader.apps import NbGraderAPI  # takes a second, so only when needed
    from traitlets.config import PyFileConfigLoader

    from nbseal.nbgrader_internals import tables_of_one_version

    config = PyFileConfigLoader("nbgrader_config.py", path=str(course.root)).load_config()
    config.CourseDirectory.root = str(root.resolve())
    config.CourseDirectory.db_url = f"sqlite:///{root.resolve() / 'gradebook.db'}"
    config.NbGraderAPI.log_level = "WARN"
    with tables_of_one_version():
        yield NbGraderAPI(config=config)


def environment(**more: str) -> dict[str, str]:
    """What a process that runs an nbgrader command in a scratch course needs: not the real
    gradebook, but this package."""
    inherited = {name: value for name, value in os.environ.items() if name != "COURSE_DB"}
    # nbgrader_config.py names parts of `grading`, which does not lie in a scratch course.
    python_path = os.pathsep.join(
        [str(PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return inherited | {"PYTHONPATH": python_path} | more


def succeeded(result: dict, doing: str) -> None:
    """Raise CourseError with nbgrader's own words if `result`, what its API returned, says that it
    failed."""
    if result["success"]:
        return
    lines = (result.get("log") or result.get("error") or "it did not say why").strip().splitlines()
    causes = [
        line.strip() for line in lines if re.match(r"\s*[\w.]+(Error|Exception|Entry): ", line)
    ]
    raise CourseError(f"nbgrader failed while {doing}: {causes[0] if causes else lines[0]}")
