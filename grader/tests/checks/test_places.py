"""Whose a file is that lies beside a notebook."""

import types

import pytest
from nbseal.checks import belongs_to_the_course, belongs_to_the_notebook, places


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """As a session's: the course's files are links into another folder."""
    monkeypatch.setattr(places, "_handed_in", None)
    monkeypatch.setattr(places, "_given", ())
    course, here = tmp_path / "course", tmp_path / "session"
    (course / "checks").mkdir(parents=True)
    here.mkdir()
    (course / "checks" / "__init__.py").touch()
    (course / "utils.py").write_text("def f(): pass")
    for name in ("checks", "utils.py"):
        (here / name).symlink_to(course / name)
    (here / "helpers.py").write_text("def f(): pass")
    return here


def is_notebooks(path) -> bool:
    names: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert isinstance(names["f"], types.FunctionType)
    return places.is_notebooks(names["f"].__code__, names)


def test_what_lies_beside_checks_is_the_course_s(folder):
    assert not is_notebooks(folder / "utils.py") and not is_notebooks(folder / "helpers.py")


def test_in_a_session_what_was_handed_in_is_the_notebook_s(folder):
    belongs_to_the_notebook(str(folder))
    assert is_notebooks(folder / "helpers.py") and not is_notebooks(folder / "utils.py")


def test_what_a_course_gives_is_its_own_without_checks_beside_it(folder):
    course = folder.parent / "course"
    (course / "checks" / "__init__.py").unlink()
    (course / "lib").mkdir()
    (course / "lib" / "more.py").write_text("def f(): pass")
    assert is_notebooks(folder / "utils.py") and is_notebooks(course / "lib" / "more.py")
    belongs_to_the_course([str(course / "utils.py"), str(course / "lib")])
    belongs_to_the_notebook(str(folder))
    assert not is_notebooks(folder / "utils.py") and not is_notebooks(course / "lib" / "more.py")
    assert is_notebooks(folder / "helpers.py")


def test_what_lies_beside_a_course_s_configuration_is_the_course_s(folder):
    course = folder.parent / "course"
    (course / "checks" / "__init__.py").unlink()
    (course / "nbgrader_config.py").touch()
    assert not is_notebooks(course / "utils.py")
