"""`make` keeps .venv up to date by itself, and says in one sentence when Python is too old."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.course import ROOT

[PHONY] = re.findall(r"^\.PHONY: help (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
TARGETS = PHONY.split()


@pytest.fixture
def make(tmp_path):
    """Runs make in a folder with this Makefile, requirements that are already met, and commands
    that do nothing."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("nbseal", "tools"):
        (tmp_path / name).mkdir()
    for name in ("requirements.txt", "tools/requirements.txt"):
        (tmp_path / name).touch()
    (tmp_path / "nbseal" / "__main__.py").write_text("import sys; print('nbseal', *sys.argv[1:])")
    (tmp_path / "tools" / "stamp.py").write_text("print('stamped')")
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "pyproject.toml").touch()

    # `make test` may be running this: what it tells makes below it is not for this one.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }

    def run(*arguments):
        return subprocess.run(
            ["make", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=200,
        )

    return run


def test_help_is_the_default_and_lists_every_target(make):
    done = make()
    assert done.returncode == 0 and done.stdout == make("help").stdout
    assert sorted(re.findall(r"^  make ([\w-]+)", done.stdout, re.MULTILINE)) == sorted(
        ["help", *TARGETS]
    )


@pytest.mark.slow
def test_the_environment_is_made_once_and_again_only_when_requirements_change(make, tmp_path):
    first = make("release", f"PYTHON={sys.executable}")
    assert first.returncode == 0, first.stderr
    assert "Creating .venv" in first.stdout and first.stdout.endswith("nbseal release\n")
    second = make("stamp", f"PYTHON={sys.executable}")
    assert (
        second.stdout
        == "stamp: writing badge and setup cell into lectures/ and solutions/\nstamped\n"
    )
    (tmp_path / "requirements.txt").write_text("# newer\n")
    third = make("stamp", f"PYTHON={sys.executable}")
    assert "Installing requirements" in third.stdout and "Creating .venv" not in third.stdout


@pytest.mark.slow
def test_a_failed_install_is_tried_again(make, tmp_path):
    (tmp_path / "tools" / "requirements.txt").write_text("./nowhere-to-be-found\n")
    assert make("stamp", f"PYTHON={sys.executable}").returncode != 0
    (tmp_path / "tools" / "requirements.txt").write_text("")
    done = make("stamp", f"PYTHON={sys.executable}")
    assert done.returncode == 0 and "Installing requirements" in done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_a_python_that_is_too_old_is_one_sentence(make, tmp_path, target):
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.18" && exit 0\nexit 1\n')
    old.chmod(0o755)
    done = make(target, f"PYTHON={old}")
    assert done.returncode != 0 and not (tmp_path / ".venv").exists()
    sentence = done.stderr.splitlines()[0]
    assert "needs Python 3.11 or newer" in sentence and "Python 3.9.18" in sentence
    assert f"make {target} PYTHON=python3.12" in sentence


def test_without_python(make, tmp_path):
    done = make("demo", "PYTHON=/nowhere/python3")
    assert (
        done.returncode != 0
        and "needs Python 3.11 or newer" in done.stderr
        and not (tmp_path / ".venv").exists()
    )


def test_the_command_itself_refuses_an_old_python():
    source = (ROOT / "grader" / "src" / "nbseal" / "__main__.py").read_text()
    old = "import sys; sys.version_info = (3, 9, 18)\n" + source
    done = subprocess.run([sys.executable, "-c", old], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert (
        done.stderr
        == "nbseal needs Python 3.11 or newer, this is Python 3.9: install a newer one.\n"
    )
