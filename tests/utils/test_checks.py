"""Notebooks take the checks from utils, which hands on all of them: the package's where the course is
graded, and a copy beside it where a student has it."""

import shutil
import subprocess
import sys
from pathlib import Path

from nbseal import checks

import utils
from tests.course import ROOT


def test_utils_hands_on_every_name_of_checks():
    assert all(getattr(utils, name) is getattr(checks, name) for name in checks.__all__)


def test_a_copy_beside_it_goes_first_and_needs_no_nbseal(tmp_path):
    shutil.copy(ROOT / "utils.py", tmp_path)
    shutil.copytree(Path(checks.__file__).parent, tmp_path / "checks")
    program = (
        "import sys; sys.modules['nbseal'] = None; import utils; print(utils.expect.__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "checks.expecting\n", done.stderr
