"""A small course of its own, in a folder that may be written to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbseal.course import Course

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TINY = FIXTURES / "course"


@pytest.fixture
def tiny(tmp_path) -> Course:
    """A course with one assignment of two tasks (`double`, 2 points; `square`, 3), not released."""
    shutil.copytree(TINY, tmp_path / "tiny")
    return Course.at(tmp_path / "tiny")


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
