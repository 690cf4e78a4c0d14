"""A JupyterHub with two users of Unix, from release to feedback. It takes what few machines have:
root, and a folder with JupyterHub and its proxy, which HUB_FOLDER names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.course import ROOT
from tools.hub import what_is_missing


def test_an_assignment_goes_through_a_hub_and_back(tmp_path):
    folder = os.environ.get("HUB_FOLDER")
    if folder is None:
        pytest.skip(
            "HUB_FOLDER names no folder with a JupyterHub: tools/hub.py says how to make one"
        )
    if missing := what_is_missing(Path(folder)):
        pytest.skip(missing)
    done = subprocess.run(
        [sys.executable, "-m", "tools.hub", folder, "--pictures", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count(" s\n") == len(list(tmp_path.glob("*.png"))) == 11
