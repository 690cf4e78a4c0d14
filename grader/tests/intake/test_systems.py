"""Downloads named as each learning management system names them: every student gets what they handed
in, and nobody is invented."""

import json
import shutil
import zipfile
from datetime import datetime

import pytest
from nbgrader.api import Gradebook
from nbseal.errors import CourseError
from nbseal.intake.collect.command import collect
from nbseal.lms import origins, tables
from nbseal.lms.roster import Roster
from support.classroom import PATH
from support.lms import (
    canvas_gradebook,
    canvas_name,
    gradescope_export,
    moodle_name,
    moodle_worksheet,
)

ASSIGNMENT = "01_tiny"
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
# id, first and last name, Canvas's number: with accents, hyphens, apostrophes, an underscore
PEOPLE = [
    ("ada", "Ada", "Lovelace", 4711),
    ("anne", "Anne-Marie", "O'Neil", 4712),
    ("zoe", "Zoë", "Müller Lüdenscheidt", 4713),
    ("bo", "Bo_Bo", "Li", 4714),
    ("wei", "伟", "王", 4715),
]
EVERYBODY = {who for who, *_ in PEOPLE}
FULL = {who: f"{first} {last}" for who, first, last, _ in PEOPLE}
SORTABLE = {who: f"{last}, {first}" for who, first, last, _ in PEOPLE}
NUMBER = {who: number for who, _, _, number in PEOPLE}
PARTICIPANT = {who: 900 + place for place, who in enumerate(EVERYBODY)}
TEAMS = {"Team 1": ("ada", "anne"), "2 Fast": ("zoe", "bo"), "Default group": ("wei",)}
CANVAS_TEAMS = {"team1": ("ada", "anne"), "2fast": ("zoe", "bo", "wei")}
SAYS = "file,student\n" + "".join(f"{team},{';'.join(who)}\n" for team, who in TEAMS.items())
CANVAS_SAYS = "".join(f"{team},{';'.join(who)}\n" for team, who in CANVAS_TEAMS.items())


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """A gradebook that knows the five: making one starts a process, which takes seconds."""
    path = tmp_path_factory.mktemp("five") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch, Gradebook(_new(path, patch)) as gradebook:
        for who, first, last, number in PEOPLE:
            gradebook.add_student(
                who,
                first_name=first,
                last_name=last,
                email=f"{who}@example.org",
                lms_user_id=str(number),
            )
    return path


def _new(path, patch):
    patch.setenv("PATH", PATH)  # nbgrader calls alembic by name
    return f"sqlite:///{path}"


@pytest.fixture
def enrolled(tiny, five):
    shutil.copy(five, tiny.root / "gradebook.db")
    return tiny


@pytest.fixture
def packed(tmp_path):
    """Writes an archive: packed({name: bytes})."""

    def write(files, name="download.zip", time=(2026, 3, 9, 12, 0, 0)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, content in files.items():
                archive.writestr(zipfile.ZipInfo(path, time), content)
        return tmp_path / name

    return write


def filed(course):
    return {path.parent.name for path in (course.root / "submitted").glob(f"*/{ASSIGNMENT}")}


def stamp(course, student):
    text = (course.root / "submitted" / student / ASSIGNMENT / "timestamp.txt").read_text()
    return text[:16]


def moodle(who, **more):
    return {moodle_name(FULL[one], PARTICIPANT[one], "tiny.ipynb", **more): NOTEBOOK for one in who}


def canvas(late=()):
    return {
        canvas_name(
            SORTABLE[who], NUMBER[who], 800 + place, "tiny-1.ipynb", late=who in late
        ): NOTEBOOK
        for place, who in enumerate(EVERYBODY)
    }


def canvas_teams():
    heads = {team: NUMBER[who[0]] for team, who in CANVAS_TEAMS.items()}
    return {canvas_name(team, head, 77, "tiny.ipynb"): NOTEBOOK for team, head in heads.items()}


def gradescope(*keys, teams=()):
    entries = teams or [[who] for who in EVERYBODY]
    said = {"name": FULL, "email": {who: f"{who}@example.org" for who in EVERYBODY}}
    said["sid"] = {who: str(number) for who, number in NUMBER.items()}
    submissions = {
        50 + place: [{key: said[key][who] for key in keys} for who in entry]
        for place, entry in enumerate(entries)
    }
    return gradescope_export(submissions, NOTEBOOK, "2026-03-01 10:00:00.123456789 +01:00")


# kind -> files of a download, and the mapping that it needs because names do not tell
DOWNLOADS = {
    "Moodle, folders": (moodle(EVERYBODY), ""),
    "Moodle, no folders": (moodle(EVERYBODY, folders=False), ""),
    "Moodle until 4.0, one group": (moodle(EVERYBODY, before="Lab_group A-"), ""),
    "Moodle, teams": (
        {
            moodle_name(
                team, 40 + place if team != "Default group" else None, "tiny.ipynb"
            ): NOTEBOOK
            for place, team in enumerate(TEAMS)
        },
        SAYS,
    ),
    "Moodle, anonymous": (
        {moodle_name("Participant", PARTICIPANT[who], "a.ipynb"): NOTEBOOK for who in EVERYBODY},
        "".join(f"Participant_{PARTICIPANT[who]}_*,{who}\n" for who in EVERYBODY),
    ),
    "Canvas": (canvas(), ""),
    "Canvas, some late": (canvas(late=("ada", "wei")), ""),
    "Canvas, groups": (canvas_teams(), CANVAS_SAYS),
    "Canvas, anonymous": (
        {canvas_name("", f"aB3x{n}", 800 + n, "tiny.ipynb"): NOTEBOOK for n in range(5)},
        "".join(f"anon_aB3x{n},{who}\n" for n, who in enumerate(EVERYBODY)),
    ),
    "Gradescope, email addresses": (gradescope("name", "email"), ""),
    "Gradescope, numbers": (gradescope("sid", "name"), ""),
    "Gradescope, other addresses": (
        {
            name: content.replace(b"@example.org", b"@gmail.example")
            for name, content in gradescope("email", "name").items()
        },
        "",
    ),
    "Gradescope, teams": (
        gradescope("name", "email", teams=[("ada", "bo"), ("zoe", "anne", "wei")]),
        "",
    ),
}


@pytest.mark.parametrize("kind", DOWNLOADS)
def test_everybody_gets_their_own_and_nobody_is_invented(kind, enrolled, packed, tmp_path):
    files, says = DOWNLOADS[kind]
    (tmp_path / "whose.csv").write_text(says)
    outcome = collect(
        enrolled, ASSIGNMENT, [packed(files)], tmp_path / "whose.csv" if says else None
    )
    assert (outcome.strangers, outcome.unknown, outcome.refused) == ([], [], [])
    assert filed(enrolled) == EVERYBODY


@pytest.mark.parametrize("kind", [kind for kind, (_, says) in DOWNLOADS.items() if says])
def test_what_names_do_not_tell_is_named_and_not_filed(kind, enrolled, packed):
    outcome = collect(enrolled, ASSIGNMENT, [packed(DOWNLOADS[kind][0])])
    assert filed(enrolled) <= EVERYBODY
    said = " ".join(note for one, _ in outcome.done for note in one.notes)
    assert outcome.strangers or outcome.unknown or "if that is a team" in said


def test_a_canvas_team_that_is_taken_for_one_student_is_pointed_out(enrolled, packed):
    outcome = collect(enrolled, ASSIGNMENT, [packed(canvas_teams())])
    assert "called 'team1' there: if that is a team" in outcome.done[0][0].notes[-1]


def test_two_of_one_name_are_told_apart_by_moodle_s_worksheet(enrolled, packed, tmp_path):
    with Gradebook(f"sqlite:///{enrolled.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student(
            "ada2", first_name="Ada", last_name="Lovelace", email="ada2@example.org"
        )
    files = {moodle_name("Ada Lovelace", number, "tiny.ipynb"): NOTEBOOK for number in (1, 2)}
    assert len(collect(enrolled, ASSIGNMENT, [packed(files)]).unknown) == 2
    (tmp_path / "worksheet.csv").write_text(
        moodle_worksheet(
            [
                (1, "Ada Lovelace", "ada@example.org", "Sunday, 1 March 2026, 11:58 PM"),
                (2, "Ada Lovelace", "ada2@example.org", "-"),
            ]
        )
    )
    outcome = collect(enrolled, ASSIGNMENT, [packed(files)], table=tmp_path / "worksheet.csv")
    assert not outcome.unknown and filed(enrolled) == {"ada", "ada2"}
    assert origins.kept(enrolled.root, ASSIGNMENT, "ada").number == "1"


def test_a_team_s_number_is_not_taken_for_a_participant_s(enrolled, packed, tmp_path):
    row = (42, "Zoë Müller Lüdenscheidt", "zoe@example.org", "-")
    (tmp_path / "worksheet.csv").write_text(moodle_worksheet([row]))
    files = {moodle_name("Team 1", 42, "tiny.ipynb"): NOTEBOOK}
    outcome = collect(enrolled, ASSIGNMENT, [packed(files)], table=tmp_path / "worksheet.csv")
    assert outcome.strangers == ["Team_1"] and filed(enrolled) == set()


def test_a_student_s_own_table_does_not_say_whose_another_s_work_is(enrolled, packed):
    files = gradescope("email")
    folder = "assignment_7_export/submission_51"
    files[f"{folder}/submission_metadata.yml"] = b"submission_51:\n  :submitters: 5\n"
    files[f"{folder}/x/submission_metadata.yml"] = (
        b"submission_50:\n  :submitters:\n  - :email: ada@example.org\n"
    )
    assert not collect(enrolled, ASSIGNMENT, [packed(files)]).unknown
    assert filed(enrolled) == EVERYBODY


# ---- Time ----------------------------------------------------------------------------------------


def worksheet(folder, time="Sunday, 1 March 2026, 11:58 PM", name="worksheet.csv"):
    rows = [(PARTICIPANT[who], FULL[who], f"{who}@example.org", time) for who in EVERYBODY]
    (folder / name).write_text(moodle_worksheet(rows))
    return folder / name


@pytest.fixture
def utc(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("utc")
def test_moodle_s_own_time_replaces_that_of_the_download(enrolled, packed, tmp_path):
    archive = packed(moodle(EVERYBODY))
    collect(enrolled, ASSIGNMENT, [archive])
    assert stamp(enrolled, "ada") == "2026-03-09 12:00"
    outcome = collect(enrolled, ASSIGNMENT, [archive], table=worksheet(tmp_path))
    assert {doing for _, doing in outcome.done} == {"timed"}
    assert stamp(enrolled, "ada") == "2026-03-01 23:58"
    # and that of a download does not replace it again
    again = collect(enrolled, ASSIGNMENT, [archive])
    assert {doing for _, doing in again.done} == {"unchanged"}
    assert stamp(enrolled, "ada") == "2026-03-01 23:58"


@pytest.mark.usefixtures("utc")
def test_a_time_that_is_known_is_not_older_than_one_that_is_not(enrolled, packed, tmp_path):
    """The first has the later time of its download, and may yet be the earlier try."""
    collect(enrolled, ASSIGNMENT, [packed(moodle(["ada"]))])
    result = enrolled.root / "autograded/ada" / ASSIGNMENT
    result.mkdir(parents=True)
    (result / "timestamp.txt").write_text("2026-03-09 12:00:00.000000 UTC\n")
    second = packed(dict.fromkeys(moodle(["ada"]), b"second"))
    outcome = collect(enrolled, ASSIGNMENT, [second], table=worksheet(tmp_path))
    assert [doing for _, doing in outcome.done] == ["replaces"]
    assert (enrolled.root / f"submitted/ada/{ASSIGNMENT}/tiny.ipynb").read_bytes() == b"second"
    assert stamp(enrolled, "ada") == "2026-03-01 23:58"
    # by these two nbgrader tells that it has to be graded again
    assert (result / "timestamp.txt").read_text() < "2026-03-01 23:58"


def test_a_worksheet_in_another_language_is_one_sentence(enrolled, packed, tmp_path):
    table = worksheet(tmp_path, time="Sonntag, 1. März 2026, 23:58")
    with pytest.raises(CourseError, match="Moodle's language set to English"):
        collect(enrolled, ASSIGNMENT, [packed(moodle(["ada"]))], table=table)
    (tmp_path / "other.csv").write_text("ID,Bewertung\nTeilnehmer 1,\n")
    with pytest.raises(CourseError, match="neither Moodle's grading worksheet"):
        tables.read(tmp_path / "other.csv")


def test_canvas_says_who_is_late_and_nobody_else_is(enrolled, packed):
    """Its archive has the time of the download."""
    with Gradebook(f"sqlite:///{enrolled.root / 'gradebook.db'}") as gradebook:
        gradebook.update_or_create_assignment(ASSIGNMENT, duedate=datetime(2026, 3, 1, 23, 59))
    outcome = collect(enrolled, ASSIGNMENT, [packed(canvas(late=("ada", "wei")))])
    late = {who for who in EVERYBODY if stamp(enrolled, who) > "2026-03-01 23:59"}
    assert late == {"ada", "wei"}
    said = {one.student for one, _ in outcome.done if "late, says Canvas" in " ".join(one.notes)}
    assert said == late


def test_gradescope_s_time_is_used(enrolled, packed):
    collect(enrolled, ASSIGNMENT, [packed(gradescope("email"))])
    assert {stamp(enrolled, who) for who in EVERYBODY} == {"2026-03-01 09:00"}
    assert origins.kept(enrolled.root, ASSIGNMENT, "zoe").is_timed


# ---- Tables --------------------------------------------------------------------------------------


def test_canvas_s_gradebook_tells_who_has_which_number(tmp_path):
    """Students of whom the gradebook knows no more than a login are found by it."""
    path = tmp_path / "canvas.csv"
    path.write_text(canvas_gradebook([(7, "King, Ada Augusta", "ada")], ["Tiny (31)"], 2))
    [person] = tables.read(path).people(Roster([{"id": "ada"}]))
    assert (person.number, person.student) == ("7", "ada")


def test_two_rows_that_may_mean_one_student_mean_nobody(tmp_path):
    path = tmp_path / "canvas.csv"
    people = [(7, "Lovelace, Ada", ""), (8, "Lovelace, Ada", "")]
    path.write_text(canvas_gradebook(people, ["Tiny (31)"], 2))
    roster = Roster([{"id": "al", "first_name": "Ada", "last_name": "Lovelace"}])
    assert [person.student for person in tables.read(path).people(roster)] == [None, None]
    path.write_text(canvas_gradebook([(7, *people[0][1:2], "al"), people[1]], ["Tiny (31)"], 2))
    assert [person.student for person in tables.read(path).people(roster)] == ["al", None]
