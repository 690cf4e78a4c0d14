"""What more than one folder of tests needs: a small course of its own, in a folder that may be written to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.course import Course
from grading.stamp import stamp

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = Path(__file__).resolve().parent / "fixtures"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from tests.scheduling import BySharedClass

    return BySharedClass(config, log)


@pytest.fixture
def tiny(tmp_path) -> Course:
    """A course with one lecture and one assignment of two tasks (`double`, 2 points; `square`, 3), stamped, not released."""
    shutil.copytree(FIXTURES / "course", tmp_path / "tiny")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path / "tiny")
    course = Course.at(tmp_path / "tiny")
    stamp(course)
    return course


@pytest.fixture(scope="session")
def real() -> Course:
    """The course in this repository. Tests read it and never write to it."""
    return Course.at(ROOT)


@pytest.fixture
def grading(tiny):
    """Runs `python -m grading ...` in the tiny course, as a person would: grading("release", "01_tiny")."""

    def run(*arguments, cwd=tiny.root):
        return subprocess.run(
            [sys.executable, "-m", "grading", *arguments], cwd=cwd, capture_output=True, text=True, timeout=300,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        )

    return run
