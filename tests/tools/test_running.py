"""What a tool says to people when something is wrong: one sentence, exit code 1, nothing written."""

import nbformat
import pytest


def failed_with_one_sentence(done):
    """The sentence on stderr, after checking that there is nothing but it."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and not lines[0].startswith("nbseal"), done.stderr
    return lines[0]


def snapshot(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


TOOLS = ["stamp", "bundle", "publish", "lectures", "demo"]


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_help(tool, tmp_path, name):
    done = tool(name, "--help", cwd=tmp_path)
    assert done.returncode == 0 and f"Usage: python -m tools.{name}" in done.stdout, done.stderr


@pytest.mark.parametrize("name", TOOLS)
def test_outside_a_course(tool, tmp_path, name):
    assert "is not inside a course" in failed_with_one_sentence(tool(name, cwd=tmp_path))


def test_from_a_folder_inside_the_course(tool, tiny):
    assert tool("stamp", cwd=tiny.solutions / "01_tiny").returncode == 0


def test_a_lecture_that_does_not_exist(tool):
    assert "there is no lecture '02_nope'" in failed_with_one_sentence(tool("lectures", "02_nope"))


def test_a_lecture_that_fails_keeps_its_outputs(tool, tiny):
    path = tiny.root / "lectures" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "1 / 0"
    nbformat.write(notebook, path)
    before = path.read_bytes()
    done = tool("lectures")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "01_tiny.ipynb does not run: ZeroDivisionError: division by zero"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"{", b'{"cells": 3}', b"\xff\xfe", b"[]"])
def test_a_damaged_notebook(tool, tiny, damage):
    path = tiny.solutions / "01_tiny" / "tiny.ipynb"
    path.write_bytes(damage)
    before = snapshot(tiny.root)
    assert f"{path} is not a valid notebook" in failed_with_one_sentence(tool("stamp"))
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
def test_settings_that_cannot_be_used(tool, tiny, line, complaint):
    (tiny.root / "course.toml").write_text(line)
    assert complaint in failed_with_one_sentence(tool("stamp"))
