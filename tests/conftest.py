"""What all of these tests share."""

from support.quick_start import pytest_collection_finish  # noqa: F401 - before all others

# isort: split
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbseal.course import Course
from support.fixtures import TINY
from support.levels import pytest_collection_modifyitems, pytest_runtest_protocol  # noqa: F401
from support.sharing_out import pytest_xdist_make_scheduler  # noqa: F401 - a hook

from tests.course import COURSE, ROOT
from tools.stamp import stamp

MORE = Path(__file__).resolve().parent / "tools" / "tiny"


@pytest.fixture(scope="session")
def real() -> Course:
    """The course in this repository. Tests read it and never write to it."""
    return COURSE


@pytest.fixture
def tiny(tmp_path) -> Course:
    """The grader's small course with what this course's tools ask for: a lecture, task files, settings;
    stamped, not released."""
    shutil.copytree(TINY, tmp_path / "tiny")
    shutil.copytree(MORE, tmp_path / "tiny", dirs_exist_ok=True)
    course = Course.at(tmp_path / "tiny")
    stamp(course)
    return course


@pytest.fixture
def tool(tiny):
    """Runs one of tools/ in the small course, as `make` would: tool("bundle")."""

    python_path = os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])  # as quick_start says

    def run(name, *arguments, cwd=tiny.root):
        return subprocess.run(
            [sys.executable, "-m", f"tools.{name}", *arguments],
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "COLUMNS": "200", "PYTHONPATH": python_path},
        )

    return run
