"""Whose `expect` a notebook calls, told from its imports."""

import shutil
from pathlib import Path

import pytest
from nbseal import checks
from nbseal.cells.vocabulary import speaks
from nbseal.view import course_view

CHECKS = Path(checks.__file__).parent
OWN = "def expect(value, wanted):\n    assert value == wanted\n"


@pytest.fixture
def folder(tmp_path):
    """A course whose utils.py hands ours on, with helpers of its own beside a notebook."""
    (tmp_path / "ps1").mkdir()
    shutil.copytree(CHECKS, tmp_path / "checks")
    (tmp_path / "utils.py").write_text("from checks import *\n")
    (tmp_path / "unlisted.py").write_text("from checks import *\n")
    (tmp_path / "ps1" / "helper.py").write_text(OWN)
    (tmp_path / "ps1" / "hands_on.py").write_text("from helper import *\n")
    (tmp_path / "ps1" / "circular.py").write_text("from circular import *\n")
    return tmp_path


@pytest.mark.parametrize(
    "cell, ours",
    [
        ("from nbseal.checks import expect", True),
        ("from checks import *", True),
        ("from checks.expecting import expect", True),
        ("from nbseal.checks.expecting import expect", True),
        ("from utils import *", True),
        ("try:\n    from utils import expect\nexcept ImportError:\n    pass", True),
        ("from helper import expect", False),
        ("from hands_on import *", False),
        (OWN, False),
        ("expect = print", False),
        ("expect, other = print, print", False),
        ("from checks import raises as expect", False),
        ("from checks import expect as check", False),
        ("import numpy as expect", False),
        ("from unlisted import *", False),
        ("from no_such_module import *", False),
        ("from no_such_module import expect", False),
        ("from circular import *", False),
        ("from math import *", False),
        ("x = 1", False),
        ("def (", False),
    ],
)
def test_whose_expect_it_is(folder, cell, ours):
    view = course_view(folder, ["utils.py", "checks"])
    assert speaks([cell], folder / "ps1", view) is ours


def test_one_of_the_notebooks_own_wins_over_an_imported_one(folder):
    view = course_view(folder, ["utils.py", "checks"])
    assert not speaks(["from utils import *", OWN], folder / "ps1", view)


def test_a_copy_in_one_file_as_it_once_was_is_ours(folder):
    shutil.rmtree(folder / "checks")
    docstring = '"""What a notebook calls to check answers: one file.\n"""\n'
    (folder / "checks.py").write_text(docstring + OWN)
    view = course_view(folder, ["utils.py", "checks.py"])
    assert speaks(["from utils import *"], folder / "ps1", view)


def test_a_course_s_own_checks_py_is_not_taken_for_ours(folder):
    shutil.rmtree(folder / "checks")
    (folder / "checks.py").write_text(OWN)
    view = course_view(folder, ["checks.py"])
    assert not speaks(["from checks import *"], None, view)
