"""The package as others get it: built, installed where nothing of this repository is on the import
path, and put to work."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from support.foreign import ASSIGNMENT, FULL, RIGHT, ForeignCourse

GRADER = Path(__file__).resolve().parents[1]


def _run(*arguments, **options) -> str:
    done = subprocess.run(
        [str(argument) for argument in arguments], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _installed(folder: Path) -> Path:
    """A new environment with the wheel in it; returns its folder of programs.

    What the wheel depends on is borrowed from this environment, which saves minutes of downloads;
    its .pth file, which leads to this repository, is not read there.
    """
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    _run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder / "dist", GRADER)
    (wheel,) = (folder / "dist").glob("*.whl")
    _run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    programs = folder / "venv" / "bin"
    _run(
        sys.executable, "-m", "pip", "--python", programs / "python", "install", "--no-deps", wheel
    )
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = Path(_run(programs / "python", "-c", ask).strip())
    (theirs / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def test_the_wheel_grades_a_course(tmp_path):
    programs = _installed(tmp_path)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}
    where = "import nbseal; print(nbseal.__file__)"
    assert str(tmp_path) in _run(programs / "python", "-c", where, env=environment)
    course = ForeignCourse(tmp_path / "course")
    course.release()
    course.hand_in("right", **RIGHT)
    course.hand_in("untouched")
    _run(programs / "nbseal", "autograde", ASSIGNMENT, cwd=course.root, env=environment)
    assert course.scores("right") == FULL and set(course.scores("untouched").values()) == {0}
