"""What the command line says to people, above all when something is wrong: one sentence, exit code
1, nothing written."""

import subprocess
import sys

import nbformat
import pytest
from support.fixtures import ROOT


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
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stderr


def test_no_command_builds_a_grammar_of_web_addresses():
    """jsonschema does as it is imported, where it can: that alone takes a second."""
    imported = imports_of("release", "--help")
    assert "jsonschema._format" in imported and "rfc3987_syntax." not in imported


def test_help_names_every_command_and_imports_none(grading):
    done = grading("--help")
    assert done.returncode == 0
    assert all(
        name in done.stdout
        for name in ("demo", "release", "stamp", "lectures", "bundle", "publish")
    )
    imported = imports_of("--help")
    assert "typer" in imported
    assert not any(
        heavy in imported for heavy in ("nbgrader", "nbformat", "torch", "nbseal.authoring.demo")
    )


@pytest.mark.parametrize("name", ["demo", "release", "stamp", "lectures", "bundle", "publish"])
def test_every_command_has_help(grading, name):
    done = grading(name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"Usage: nbseal {name}" in done.stdout


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
    assert grading("stamp", cwd=tiny.solutions / "01_tiny").returncode == 0


@pytest.mark.parametrize("command", [["release", "02_nope"], ["demo", "02_nope"]])
def test_an_assignment_that_does_not_exist(grading, tiny, command):
    before = snapshot(tiny.root)
    sentence = failed_with_one_sentence(grading(*command))
    assert "no assignment '02_nope'" in sentence and "there are: 01_tiny" in sentence
    assert snapshot(tiny.root) == before


def test_a_course_without_assignments(grading, tiny):
    (tiny.solutions / "01_tiny" / "tiny.ipynb").unlink()
    assert "holds no assignment yet" in failed_with_one_sentence(grading("release"))


def test_two_notebooks_in_one_assignment(grading, tiny):
    folder = tiny.solutions / "01_tiny"
    (folder / "copy.ipynb").write_bytes((folder / "tiny.ipynb").read_bytes())
    assert grading("release").returncode == 0
    assert sorted(path.name for path in (tiny.exercises / "01_tiny").glob("*.ipynb")) == [
        "copy.ipynb",
        "tiny.ipynb",
    ]


def test_a_lecture_that_does_not_exist(grading):
    assert "there is no lecture '02_nope'" in failed_with_one_sentence(
        grading("lectures", "02_nope")
    )


def test_a_lecture_that_fails_keeps_its_outputs(grading, tiny):
    path = tiny.lectures / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "1 / 0"
    nbformat.write(notebook, path)
    before = path.read_bytes()
    done = grading("lectures")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "01_tiny.ipynb does not run: ZeroDivisionError: division by zero"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"{", b'{"cells": 3}', b"\xff\xfe", b"[]"])
def test_a_damaged_notebook(grading, tiny, damage):
    path = tiny.solutions / "01_tiny" / "tiny.ipynb"
    path.write_bytes(damage)
    before = snapshot(tiny.root)
    for command in ("stamp", "release"):
        assert f"{path} is not a valid notebook" in failed_with_one_sentence(grading(command))
    assert snapshot(tiny.root) == before


@pytest.mark.parametrize(
    "line, complaint",
    [
        ('name = "Tiny', "is not valid TOML"),
        ('name = ""', "needs a plain text for `name`"),
        ("name = 3", "needs a plain text for `name`"),
        (
            'name = "x"\n[bundle]\nrepository = "a"\nbranch = "b"',
            "needs a plain text for `revision`",
        ),
        (
            'name = "x"\n[bundle]\nrepository = "a"\nbranch = "b"\nrevision = "v1; rm -rf ."',
            "needs a plain text for `revision`",
        ),
        (
            'name = "x"\n[bundle]\nrepository = "--upload-pack=x"\nbranch = "b"\nrevision = "v1"',
            "for `repository`",
        ),
        (
            'name = "x"\n[bundle]\nrepository = "$(x)"\nbranch = "b"\nrevision = "v1"',
            "for `repository`",
        ),
    ],
)
def test_settings_that_cannot_be_used(grading, tiny, line, complaint):
    (tiny.root / "course.toml").write_text(line)
    assert complaint in failed_with_one_sentence(grading("stamp"))
