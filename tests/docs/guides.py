"""The commands of a guide, and a copy of the course to run them in.

A fenced block whose language is `sh` is run. A word behind it (`sh postgresql`) names a condition:
such blocks are run by the test that can meet it. Anything else, `console` for one, is shown to
people only.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from nbseal.authoring.nbgrader_api import environment
from nbseal.authoring.release import NOT_RELEASED

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
ASSIGNMENT, NOTEBOOK = "02_layer_norm", "layer_norm.ipynb"
# What two students hand in, by the names of tools/answers.py.
RIGHT = "whole-arena"
WRONG = "layer_norm-wrong-you-divided-by-d-1-in-the"
FENCE = re.compile(r"^```(?P<language>[^\n]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COURSE_FILES = ("utils.py", "course.toml", "nbgrader_config.py", "requirements.txt", "LICENSE")
SECONDS = 500  # for all commands of a guide; an idle machine needs a tenth


def commands(guide: str, kind: str = "sh") -> str:
    """All blocks of this kind in a guide, as one script that stops at the first command that
    fails."""
    text = (DOCS / guide).read_text(encoding="utf-8")
    bodies = [block["body"] for block in FENCE.finditer(text) if block["language"].strip() == kind]
    assert bodies, f"docs/{guide} has no block marked {kind}: what does this test run?"
    return "\n".join(["set -euxo pipefail", *bodies])


def copy_of_course(folder: Path) -> Path:
    """One pair of the course, its settings and the autograder, as a clone has them; the environment
    is a link."""
    folder.mkdir()
    for name in ("grader", "data", "tools", f"solutions/{ASSIGNMENT}", f"exercises/{ASSIGNMENT}"):
        shutil.copytree(ROOT / name, folder / name, ignore=NOT_RELEASED)
    for path in (
        *ROOT.glob("solutions/*.*"),
        ROOT / f"lectures/{ASSIGNMENT}.ipynb",
        *(ROOT / name for name in COURSE_FILES),
    ):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def run(script: str, course: Path, home: Path, **more: str) -> str:
    """Run a guide's commands as somebody whose home is `home`; returns what they printed."""
    home.mkdir(exist_ok=True)
    person = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    }
    private = {
        name: str(home / place)
        for name, place in (
            ("HOME", ""),
            ("JUPYTER_CONFIG_DIR", ".jupyter"),
            ("JUPYTER_DATA_DIR", ".local"),
            ("JUPYTER_RUNTIME_DIR", ".runtime"),
        )
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=course,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        env=environment(
            **person,
            **private,
            PYTHONPATH=str(course),
            OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "1"),
            **more,
        ),
    )
    assert done.returncode == 0, f"a command of the guide failed:\n{done.stdout[-5000:]}"
    return done.stdout
