"""`nbseal demo`: a class of its own, graded where no course is."""

import sqlite3

import pytest
from nbseal.authoring.class_results import Graded
from nbseal.authoring.demo.showing import choose_engine, what_went_wrong_first
from nbseal.authoring.demo.students import STUDENTS
from nbseal.errors import CourseError
from nbseal.records import CheckResult


@pytest.mark.slow
def test_it_shows_right_and_wrong_answers_a_crash_and_who_was_late(grading, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    done = grading("demo", cwd=home)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    folder = home / "nbseal-demo"
    rows = [line.split("│")[1:4] for line in done.stdout.splitlines() if line.startswith("│")]
    shown = {name.strip(): (score.strip(), said.strip()) for name, score, said in rows}
    assert list(shown) == [student.name for student in STUDENTS]
    assert shown["ada"] == ("5 / 5", "-") == shown["chidi"] == shown["freya"]
    wrong = "variance: You divided by n - 1. This variance is a mean: divide by n."
    assert shown["bo"] == shown["dina"] == shown["gus"] == ("2 / 5", wrong)
    assert shown["ivo"] == ("3 / 5", "mean: That is the median.")
    assert shown["emre"][0] == "2 / 5" and "crashed" in shown["emre"][1]
    assert shown["hana"] == ("5 / 5", "5 h late") and shown["june"][0] == "2 / 5"
    assert len(list((folder / "feedback").glob("*/averages/averages.html"))) == len(STUDENTS)
    assert (folder / "reports" / "averages" / "report.html").is_file()
    with sqlite3.connect(folder / "gradebook.db") as gradebook:
        assert gradebook.execute("select count(*) from submitted_assignment").fetchone() == (10,)


def test_a_folder_that_is_not_a_demo_is_left_alone(grading, tmp_path):
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("years of work")
    done = grading("demo", "--into", "thesis", cwd=tmp_path)
    assert done.returncode == 1 and "is not empty and was not made by a demo" in done.stderr
    assert [path.name for path in thesis.iterdir()] == ["chapter.txt"]


def test_a_row_says_a_sentence_once():
    said = "norm is to be written by hand: torch's layer_norm was called."
    by_hand = CheckResult("norm is written by hand", False, False, said, safe=said)
    differs = CheckResult("one row", False, False, "got 3\nof shape ()")

    def row(check):
        return what_went_wrong_first(Graded({"a_test": 0}, {"a_test": 1}, {}, {"a_test": [check]}))

    assert row(by_hand) == f"a: {said}"
    assert row(differs) == "a: one row got 3"


@pytest.mark.slow
def test_a_host_that_cannot_confine_gets_nbgraders_own_engine_and_is_told(tiny, monkeypatch):
    def refuse(**options):
        raise CourseError("open")

    monkeypatch.setattr("nbseal.confine.require_closed", refuse)
    engine, about = choose_engine(tiny)
    assert engine == "nbgrader" and "doctor" in about
