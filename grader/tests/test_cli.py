"""What the command line says to people, above all when something is wrong: one sentence, exit code
1, nothing written."""

import os
import re
import subprocess
import sys

import pytest
from nbseal.cli import COMMANDS
from support.fixtures import TINY


def failed_with_one_sentence(done):
    """The sentence on stderr, after checking that there is nothing but it."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("nbseal: "), done.stderr
    return lines[0]


def snapshot(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def imports_of(*arguments):
    """What Python says it imports for a command."""
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "nbseal", *arguments],
        cwd=TINY,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": ""},  # without support/left_out
    ).stderr


def test_no_command_builds_a_grammar_of_web_addresses():
    """jsonschema does as it is imported, where it can: that alone takes a second."""
    imported = imports_of("release", "--help")
    assert "jsonschema._format" in imported and "rfc3987_syntax." not in imported


def test_help_names_every_command_and_imports_none(grading):
    done = grading("--help")
    assert done.returncode == 0
    groups = ["For authors", "Grading", "After grading", "This machine"]
    assert re.findall("─ ((?:For|Gra|Aft|This)[\\w ]+) ─", done.stdout) == groups
    assert all(f"│ {name} " in done.stdout for name in COMMANDS)
    imported = imports_of("--help")
    assert "typer" in imported
    assert not any(
        heavy in imported for heavy in ("nbgrader", "nbformat", "torch", "nbseal.authoring.demo")
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_also_outside_of_a_course(grading, tmp_path, name):
    done = grading(name, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"Usage: nbseal {name}" in done.stdout and f"Example: nbseal {name}" in done.stdout


def test_an_unknown_command_is_named(grading):
    done = grading("relase")
    assert done.returncode == 2 and "No such command 'relase'" in done.stderr


def test_outside_a_course(grading, tmp_path):
    assert "is not inside a course" in failed_with_one_sentence(grading("release", cwd=tmp_path))


def test_a_folder_that_is_not_a_course(grading, tmp_path):
    assert "it has no nbgrader_config.py" in failed_with_one_sentence(
        grading("--course", str(tmp_path), "release")
    )


def test_from_a_folder_inside_the_course(grading, tiny):
    assert grading("release", cwd=tiny.solutions / "01_tiny").returncode == 0


@pytest.mark.parametrize("command", ["release", "check", "mutants"])
def test_an_assignment_that_does_not_exist(grading, tiny, command):
    before = snapshot(tiny.root)
    sentence = failed_with_one_sentence(grading(command, "02_nope"))
    assert "no assignment '02_nope'" in sentence and "there are: 01_tiny" in sentence
    assert snapshot(tiny.root) == before


def test_a_course_without_assignments(grading, tiny):
    (tiny.solutions / "01_tiny" / "tiny.ipynb").unlink()
    assert "holds no assignment yet" in failed_with_one_sentence(grading("release"))


@pytest.mark.slow
def test_two_notebooks_in_one_assignment(grading, tiny):
    folder = tiny.solutions / "01_tiny"
    (folder / "copy.ipynb").write_bytes((folder / "tiny.ipynb").read_bytes())
    assert grading("release").returncode == 0
    assert sorted(path.name for path in (tiny.exercises / "01_tiny").glob("*.ipynb")) == [
        "copy.ipynb",
        "tiny.ipynb",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"{", b'{"cells": 3}', b"\xff\xfe", b"[]"])
def test_a_damaged_notebook(grading, tiny, damage):
    path = tiny.solutions / "01_tiny" / "tiny.ipynb"
    path.write_bytes(damage)
    before = snapshot(tiny.root)
    assert f"{path} is not a valid notebook" in failed_with_one_sentence(grading("release"))
    assert snapshot(tiny.root) == before
