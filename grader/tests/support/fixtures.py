"""Fixtures of both test folders: a small course of its own, in a folder that may be written to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbseal.authoring.stamp import stamp
from nbseal.course import Course

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


@pytest.fixture
def tiny(tmp_path) -> Course:
    """A course with one lecture and one assignment of two tasks (`double`, 2 points; `square`, 3),
    stamped, not released."""
    shutil.copytree(FIXTURES / "course", tmp_path / "tiny")
    course = Course.at(tmp_path / "tiny")
    stamp(course)
    return course


@pytest.fixture(scope="session")
def real() -> Course:
    """The course in this repository. Tests read it and never write to it."""
    return Course.at(ROOT)


@pytest.fixture
def grading(tiny):
    """Runs `nbseal ...` in the tiny course, as a person would: grading("release", "01_tiny")."""

    def run(*arguments, cwd=tiny.root):
        return subprocess.run(
            [sys.executable, "-m", "nbseal", *arguments],
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "COLUMNS": "200"},
        )

    return run
