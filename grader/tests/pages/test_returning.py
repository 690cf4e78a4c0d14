"""What goes back to a learning management system is what that system accepts, by the rules of its
own source: see support/lms.py."""

import csv
import io
import json
import zipfile

import pytest
import typer
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect.command import collect
from nbseal.pages.returning_command import give_back
from support.classroom import Classroom, run
from support.gradebooks import with_scores
from support.lms import (
    canvas_gradebook,
    canvas_grades,
    canvas_name,
    canvas_takes,
    gradescope_export,
    gradescope_runs,
    moodle_grades,
    moodle_name,
    moodle_takes,
    moodle_worksheet,
)

ASSIGNMENT = "01_tiny"
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
PEOPLE = {  # id -> full name, Canvas's number, score; absent: handed in nothing
    "ada": ("Ada Lovelace", 4711, 2.0),
    "anne": ("Anne-Marie O'Neil", 4712, 1.5),
    "bo_2": ("Bo_Bo Li", 4713, 0.0),
    "absent": ("Nobody Here", 4714, None),
}
GRADED = [who for who, (_, _, score) in PEOPLE.items() if score is not None]
PARTICIPANT = {who: 900 + place for place, who in enumerate(PEOPLE)}
SORTABLE = {who: ", ".join(reversed(name.rsplit(" ", 1))) for who, (name, *_) in PEOPLE.items()}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A gradebook with scores; nobody's code has run for them."""

    def about(who):
        name, number, _ = PEOPLE[who]
        first, last = name.rsplit(" ", 1)
        email = f"{who}@example.org"
        return dict(first_name=first, last_name=last, email=email, lms_user_id=str(number))

    path = tmp_path_factory.mktemp("scored") / "gradebook.db"
    scores = {who: score for who, (_, _, score) in PEOPLE.items()}
    return with_scores(path, ASSIGNMENT, scores, about)


@pytest.fixture
def graded(tiny, scored):
    """A course with scores and finished pages, as after `nbseal feedback`."""
    (tiny.root / "gradebook.db").write_bytes(scored.read_bytes())
    for who in GRADED:
        folder = tiny.root / "feedback" / who / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / "tiny.html").write_text(f"for {who}")
        (folder / "own.html").write_text("the student's own file")
    return tiny


def collected(course, files, tmp_path, mapping="", table=None):
    for name, content in files.items():
        path = tmp_path / "download" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    whose = tmp_path / "whose.csv"
    whose.write_text(mapping)
    done = collect(
        course, ASSIGNMENT, [tmp_path / "download"], whose if mapping else None, table=table
    )
    assert not done.unknown and not done.strangers


def given_back(course, system, table=None, column=None, student="*"):
    give_back(course, system, ASSIGNMENT, student, table, column)
    return (course.root / "reports" / ASSIGNMENT / f"feedback_{system}.zip").read_bytes()


def filled(course, table):
    return (course.root / "reports" / ASSIGNMENT / f"{table.stem}_filled.csv").read_text()


def page_in(archive, name):
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return packed.read(name).decode()


def moodle(**more):
    return {
        moodle_name(PEOPLE[who][0], PARTICIPANT[who], "tiny.ipynb", **more): NOTEBOOK
        for who in GRADED
    }


def worksheet(folder, most=2):
    rows = [(PARTICIPANT[who], PEOPLE[who][0], f"{who}@example.org", "-") for who in PEOPLE]
    (folder / "worksheet.csv").write_text(moodle_worksheet(rows, most))
    return folder / "worksheet.csv"


# ---- Moodle --------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"folders": False}, {"before": "Lab 1-"}], ids=str)
def test_moodle_gives_everybody_their_page(graded, tmp_path, more):
    collected(graded, moodle(**more), tmp_path)
    taken, passed_over = moodle_takes(given_back(graded, "moodle"), set(PARTICIPANT.values()))
    assert taken == {PARTICIPANT[who]: ["tiny.html"] for who in GRADED} and not passed_over


def test_every_page_is_in_its_own_student_s_folder(graded, tmp_path):
    collected(graded, moodle(), tmp_path)
    archive = given_back(graded, "moodle")
    for name in zipfile.ZipFile(io.BytesIO(archive)).namelist():
        [who] = [who for who in GRADED if f"_{PARTICIPANT[who]}_" in name]
        assert page_in(archive, name) == f"for {who}"


def test_moodle_reaches_each_of_a_team_by_the_worksheet(graded, tmp_path, capsys):
    """A team's download has the team's number, by which Moodle takes nothing back."""
    files = {moodle_name("Team 1", 42, "tiny.ipynb"): NOTEBOOK}
    collected(graded, files, tmp_path, "Team 1,ada;anne;bo_2\n")
    with pytest.raises(typer.Exit) as end:
        given_back(graded, "moodle")
    assert end.value.exit_code == 1
    assert (
        "left out: ada, anne, bo_2: their numbers in Moodle are not known"
        in capsys.readouterr().out
    )
    archive = given_back(graded, "moodle", worksheet(tmp_path))
    taken, _ = moodle_takes(archive, set(PARTICIPANT.values()))
    assert set(taken) == {PARTICIPANT[who] for who in GRADED}


def test_moodle_s_worksheet_is_filled_in(graded, tmp_path):
    collected(graded, moodle(), tmp_path)
    table = worksheet(tmp_path)
    given_back(graded, "moodle", table)
    grades = moodle_grades(filled(graded, table), set(PARTICIPANT.values()), most=2)
    assert grades == {PARTICIPANT[who]: PEOPLE[who][2] for who in GRADED}
    before, after = (
        list(csv.DictReader(io.StringIO(text)))
        for text in (table.read_text(encoding="utf-8-sig"), filled(graded, table))
    )
    assert [row | {"Grade": ""} for row in after] == before  # and nothing else is changed


def test_points_that_moodle_would_refuse_are_said(graded, tmp_path, capsys):
    collected(graded, moodle(), tmp_path)
    given_back(graded, "moodle", worksheet(tmp_path, most=100))
    assert "has 100 points for it, and 01_tiny has 2" in capsys.readouterr().out


# ---- Canvas --------------------------------------------------------------------------------------

FILE = {who: 800 + place for place, who in enumerate(PEOPLE)}


def canvas(late=()):
    return {
        canvas_name(
            SORTABLE[who], PEOPLE[who][1], FILE[who], "tiny-1.ipynb", late=who in late
        ): NOTEBOOK
        for who in GRADED
    }


def test_canvas_finds_every_submission_again(graded, tmp_path):
    collected(graded, canvas(late=["ada"]), tmp_path)
    files = {FILE[who]: PEOPLE[who][1] for who in GRADED}
    archive = given_back(graded, "canvas")
    taken, passed_over = canvas_takes(archive, files)
    assert set(taken) == set(files.values()) and not passed_over
    [name] = taken[PEOPLE["ada"][1]]
    assert page_in(archive, name) == "for ada"


def test_canvas_gets_one_page_for_a_team(graded, tmp_path):
    files = {canvas_name("2 fast", 4711, 77, "tiny.ipynb"): NOTEBOOK}
    collected(graded, files, tmp_path, "2fast,ada;anne;bo_2\n")
    taken, passed_over = canvas_takes(given_back(graded, "canvas"), {77: 4711}, groups=("2fast",))
    assert {user: len(names) for user, names in taken.items()} == {4711: 1} and not passed_over


def test_canvas_finds_anonymous_submissions_again(graded, tmp_path):
    codes = {who: f"aB3x{place}" for place, who in enumerate(GRADED)}
    names = {who: canvas_name("", codes[who], FILE[who], "tiny.ipynb") for who in GRADED}
    mapping = "".join(f"anon_{codes[who]},{who}\n" for who in GRADED)
    collected(graded, dict.fromkeys(names.values(), NOTEBOOK), tmp_path, mapping)
    taken, _ = canvas_takes(given_back(graded, "canvas"), {FILE[who]: codes[who] for who in GRADED})
    assert set(taken) == set(codes.values())


@pytest.fixture
def exported(tmp_path):
    """Canvas's gradebook, with the column of this assignment among others."""
    people = [(number, SORTABLE[who], who) for who, (_, number, _) in PEOPLE.items()]
    text = canvas_gradebook([*people, (9, "Student, Test", "")], ["Tiny (31)", "01 Tiny (32)"], 2)
    (tmp_path / "canvas.csv").write_text(text)
    return tmp_path / "canvas.csv"


def test_canvas_s_gradebook_is_filled_in(graded, tmp_path, exported):
    collected(graded, canvas(), tmp_path)
    given_back(graded, "canvas", exported)
    users = {number for _, number, _ in PEOPLE.values()} | {9}
    grades, questions = canvas_grades(filled(graded, exported), users, {31, 32})
    assert not questions
    assert {key: float(value) for key, value in grades.items()} == {
        (PEOPLE[who][1], 32): PEOPLE[who][2] for who in GRADED
    }


def test_a_column_is_named_by_its_number(graded, tmp_path, exported):
    collected(graded, canvas(), tmp_path)
    given_back(graded, "canvas", exported, "31")
    grades, _ = canvas_grades(filled(graded, exported), {4711}, {31, 32})
    assert set(grades) == {(4711, 31)}
    with pytest.raises(CourseError, match=r"Tiny \(31\); 01 Tiny \(32\)"):
        given_back(graded, "canvas", exported, "Homework")


# ---- Gradescope ----------------------------------------------------------------------------------


def test_gradescope_says_what_was_found_of_each_submission(graded, tmp_path):
    submissions = {50: [{"email": "ada@example.org"}, {"email": "anne@example.org"}]}
    submissions[51] = [{"sid": "4713", "name": "Bo_Bo Li", "email": "bo_2@example.org"}]
    collected(graded, gradescope_export(submissions, NOTEBOOK, "2026-03-01 10:00:00 Z"), tmp_path)
    archive = given_back(graded, "gradescope")
    said = gradescope_runs(archive, tmp_path / "one", 51, ["bo_2@example.org"])
    assert said["score"] == 0
    assert gradescope_runs(archive, tmp_path / "two", 50, [])["score"] == 2
    later = gradescope_runs(archive, tmp_path / "three", 99, ["anne@example.org"])
    assert later["score"] == 2
    assert "not been graded" in gradescope_runs(archive, tmp_path / "four", 99, ["x@y"])["output"]
    for number, other in enumerate(("x@y", "bo_2@example.org")):  # no score is another's
        for group in (["anne@example.org", other], [other, "anne@example.org"]):
            folder = tmp_path / f"{number}{group[0]}"
            assert "not been graded" in gradescope_runs(archive, folder, 98, group)["output"]


# ---- Bad input -----------------------------------------------------------------------------------


def test_what_cannot_be_given_back_is_one_sentence(graded, tmp_path, exported):
    collected(graded, moodle(), tmp_path)
    with pytest.raises(CourseError, match="is a table of canvas, not of moodle"):
        given_back(graded, "moodle", exported)
    with pytest.raises(CourseError, match="there is no feedback of 01_tiny"):
        given_back(graded, "moodle", student="zoe")
    with pytest.raises(typer.Exit):
        given_back(graded, "canvas")


@pytest.mark.slow
def test_the_command_writes_pages_and_packs_them(tmp_path):
    """On a class that was really graded: a right and a wrong one."""
    room = Classroom(tmp_path / "course")
    room.hand_in("right")
    room.hand_in("wrong", double="def double(x):\n    return x + 2")
    download = tmp_path / "export"
    for number, who in enumerate(("right", "wrong"), start=1):
        folder = download / "assignment_7_export" / f"submission_{number}"
        folder.mkdir(parents=True)
        (folder / "tasks.ipynb").write_bytes((room.folder(who) / "tasks.ipynb").read_bytes())
    (download / "assignment_7_export" / "submission_metadata.yml").write_text(
        "".join(
            f"submission_{number}:\n  :submitters:\n  - :email: {who}\n"
            for number, who in enumerate(("right", "wrong"), start=1)
        )
    )
    collect(Course.at(room.root), "numbers", [download], allow_unknown=True)
    assert room.autograde().returncode == 0
    done = run(room.root, "-m", "nbseal", "feedback", "numbers", "--for", "gradescope")
    assert done.returncode == 0, done.stdout + done.stderr
    archive = (room.root / "reports" / "numbers" / "feedback_gradescope.zip").read_bytes()
    said = gradescope_runs(archive, tmp_path / "one", 2, [])
    assert said["score"] == 3
    assert any("You added 2." in task["output"] for task in said["tests"])
