"""`nbseal collect`: every kind of download lands in submitted/, and what tries to escape is refused
by name."""

import json
import os
import tarfile
from functools import partial
from pathlib import PurePosixPath

import pytest
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect import unpacking
from nbseal.intake.collect.command import collect
from nbseal.intake.collect.notebooks import notebook_in, stem_of
from nbseal.intake.collect.owners import Owners, Provenance, provenance_of
from nbseal.intake.collect.uploads import uploads_in
from nbseal.lms.origins import Origin
from nbseal.lms.roster import Roster
from support.downloads import zipped

ASSIGNMENT = "01_tiny"
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()


@pytest.fixture
def download(tmp_path):
    """Writes files into a folder: download({name: bytes})."""

    def write(files, folder=tmp_path / "download"):
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder

    return write


def submitted(course, step="submitted"):
    """Student -> names of the files that are there."""
    folders = (course.root / step).glob(f"*/{ASSIGNMENT}")
    return {
        folder.parent.name: sorted(
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        )
        for folder in folders
    }


FILES = ["timestamp.txt", "tiny.ipynb"]


# ---- Names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path, student",
    {
        "Ada Lovelace_1234567_assignsubmission_file_/tiny.ipynb": "Ada_Lovelace",
        "Ada Lovelace_1234567_assignsubmission_file/Copy of tiny.ipynb": "Ada_Lovelace",
        "Ada Lovelace_1234567_assignsubmission_file_tiny.ipynb": "Ada_Lovelace",
        "lovelaceada_4711_815_tiny.ipynb": "lovelaceada_4711",
        "lovelaceada_LATE_4711_816_tiny-1.ipynb": "lovelaceada_4711",
        "01 tiny_ada_attempt_2026-01-30-15-00-00_tiny.ipynb": "ada",
        "123-456 - Ada Lovelace - Jan 30, 2026 3-00 PM/tiny.ipynb": "Ada_Lovelace",
        "ada/01_tiny/tiny.ipynb": "ada",
        "submitted/ada/01_tiny/tiny.ipynb": "ada",
        "ada/tiny.ipynb": "ada",
        "ada/Copy of tiny (2).ipynb": "ada",
        "ada/Untitled3.ipynb": "ada",
        "lastname_12345_tiny.ipynb": "lastname_12345",
        "Lovelace, Ada - tiny.ipynb": "Lovelace_Ada",
        "ada_01_tiny.ipynb": "ada",
        "tiny_ada.ipynb": "ada",
        "Zoë Müller/tiny.ipynb": "Zoë_Müller",
        "ada/tiny.ipynb.txt": "ada",
        "Copy of tiny.ipynb": "",
        "tiny (1).ipynb": "",
        "Kopie von tiny.ipynb": "",
        "submissions/tiny.ipynb": "",
        "Untitled.ipynb": "",
    }.items(),
)
def test_whose_file_it_is(path, student, download):
    [upload] = uploads_in(download({path: NOTEBOOK}), ASSIGNMENT, ["tiny"], None, [])
    told = provenance_of(upload, ["tiny"])
    team, _ = Owners([], Roster()).of(upload, told)
    assert team == ((student,) if student else ())


@pytest.mark.parametrize(
    "file, notebook, copy",
    [
        ("ada/tiny.ipynb", "tiny", 0),
        ("ada/Tiny (3).ipynb", "tiny", 3),
        ("ada/tiny-Copy2.ipynb", "tiny", 2),
        ("ada/Copy of Copy of tiny.ipynb", "tiny", 0),
        ("ada/tiny_final.ipynb", "tiny", 1),
        ("ada/other.ipynb", None, 0),
    ],
)
def test_which_notebook_it_is(file, notebook, copy):
    assert notebook_in(stem_of(PurePosixPath(file).name), ["tiny"])[:2] == (notebook, copy)


def test_the_longest_notebook_name_wins():
    assert notebook_in("ada_layer_norm", ["norm", "layer_norm"]) == ("layer_norm", 0, "ada")


def test_students_of_the_gradebook_are_known_by_all_their_names(download):
    roster = Roster(
        [
            {
                "id": "al17",
                "first_name": "Ada",
                "last_name": "Lovelace",
                "email": "ada@example.org",
                "lms_user_id": "4711",
            },
            {
                "id": "ct",
                "first_name": "Ada",
                "last_name": "Turing",
                "email": None,
                "lms_user_id": None,
            },
        ]
    )
    canvas = Origin("canvas", "4711")
    [upload] = uploads_in(download({"x/tiny.ipynb": NOTEBOOK}), ASSIGNMENT, ["tiny"], None, [])
    for told in (
        Provenance("Ada Lovelace"),
        Provenance("lovelaceada", canvas),
        Provenance("LovelaceAda"),
        Provenance("ada@example.org"),
        Provenance("al17"),
        Provenance("lastname_4711"),
    ):
        assert Owners([], roster).of(upload, told)[0] == ("al17",), told
    assert Owners([], roster).of(upload, Provenance("Grace Hopper"))[0] == ("Grace_Hopper",)


# ---- Downloads -----------------------------------------------------------------------------------


def test_a_bulk_archive_with_archives_in_it(tiny, download):
    folder = download(
        {
            "all.zip": zipped(
                {
                    "Ada Lovelace_1_assignsubmission_file_/tiny.ipynb": NOTEBOOK,
                    "Alan Turing_2_assignsubmission_file_/work.zip": zipped(
                        {"my work/tiny (1).ipynb": NOTEBOOK, "my work/data/x.csv": b"1"}
                    ),
                    "Grace Hopper_3_assignsubmission_file_/tiny.pdf": b"%PDF",
                    "Kurt Goedel_4_assignsubmission_onlinetext_/onlinetext.html": b"<p>sorry</p>",
                    "__MACOSX/._x": b"",
                    ".DS_Store": b"",
                }
            )
        }
    )
    outcome = collect(tiny, ASSIGNMENT, [folder / "all.zip"])
    assert submitted(tiny) == {
        "Ada_Lovelace": FILES,
        "Alan_Turing": ["data/x.csv", *FILES],
        "Grace_Hopper": FILES,
        "Kurt_Goedel": FILES,
    }
    assert not outcome.refused and not outcome.unknown
    assert (tiny.root / f"submitted/Grace_Hopper/{ASSIGNMENT}/tiny.ipynb").read_bytes() == b"%PDF"
    assert [
        path.name for path in (tiny.root / "submitted").iterdir() if path.name.startswith(".")
    ] == []


def test_a_folder_a_tar_and_a_file_together(tiny, download):
    folder = download(
        {
            "flat/ada_tiny.ipynb": NOTEBOOK,
            "flat/alan_tiny.ipynb": NOTEBOOK,
            "flat/notes.txt": b"mine",
            "one/grace_tiny.ipynb": NOTEBOOK,
        }
    )
    with tarfile.open(folder / "more.tar.gz", "w:gz") as archive:
        archive.add(folder / "one" / "grace_tiny.ipynb", "kurt/tiny.ipynb")
    collect(
        tiny,
        ASSIGNMENT,
        [folder / "flat", folder / "more.tar.gz", folder / "one" / "grace_tiny.ipynb"],
    )
    assert submitted(tiny) == dict.fromkeys(["ada", "alan", "grace", "kurt"], FILES)


def test_gradescope_says_who_in_a_table(tiny, download):
    table = (
        b"submission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: al17\n    :email: ada@example.org\n"
        b"  :created_at: 2026-02-01 10:00:00 +01:00\n"
    )
    folder = download(
        {
            "gs.zip": zipped(
                {
                    "assignment_7_export/submission_metadata.yml": table,
                    "assignment_7_export/submission_1/tiny.ipynb": NOTEBOOK,
                    "assignment_7_export/submission_2/tiny.ipynb": NOTEBOOK,
                }
            )
        }
    )
    outcome = collect(tiny, ASSIGNMENT, [folder / "gs.zip"])
    assert list(submitted(tiny)) == ["ada@example.org"]
    assert (
        "2026-02-01 09:00:00"
        in (tiny.root / f"submitted/ada@example.org/{ASSIGNMENT}/timestamp.txt").read_text()
    )
    assert outcome.unknown == ["assignment_7_export/submission_2"]


def test_every_member_of_a_gradescope_team_has_handed_in(tiny, download):
    table = (
        b"submission_1:\n  :submitters:\n  - :sid: ada\n  - :sid: grace\n"
        b"  :created_at: 2026-02-01 10:00:00 +01:00\n"
    )
    folder = download(
        {"export/submission_metadata.yml": table, "export/submission_1/tiny.ipynb": NOTEBOOK}
    )
    outcome = collect(tiny, ASSIGNMENT, [folder])
    assert submitted(tiny) == {"ada": FILES, "grace": FILES}
    assert outcome.done[1][0].notes == ("handed in with ada",)


def test_a_mapping_says_who_is_in_a_team(tiny, download):
    """Moodle calls a team's folder after the team, with its number; see mod/assign's downloader."""
    folder = download({"Team 1_42_assignsubmission_file/tiny.ipynb": NOTEBOOK})
    (folder.parent / "teams.csv").write_text("team,student\nTeam 1,ada; grace\n")
    assert not collect(tiny, ASSIGNMENT, [folder], folder.parent / "teams.csv").unknown
    assert submitted(tiny) == {"ada": FILES, "grace": FILES}


@pytest.mark.parametrize("prefer_own, counts", [(False, b"the team's"), (True, b"ada's own")])
def test_a_member_s_own_submission_counts_only_when_told(tiny, download, prefer_own, counts):
    folder = download({"team/tiny.ipynb": b"the team's", "ada/tiny.ipynb": b"ada's own"})
    (folder.parent / "teams.csv").write_text("team,ada;grace\n")
    outcome = collect(
        tiny, ASSIGNMENT, [folder], folder.parent / "teams.csv", prefer_own=prefer_own
    )
    assert submitted(tiny) == {"ada": FILES, "grace": FILES}
    assert (tiny.root / f"submitted/ada/{ASSIGNMENT}/tiny.ipynb").read_bytes() == counts
    assert (tiny.root / f"submitted/grace/{ASSIGNMENT}/tiny.ipynb").read_bytes() == b"the team's"
    assert "left out" in " ".join(outcome.done[0][0].notes)


def test_the_later_of_two_versions_counts(tiny, download):
    folder = download({"ada/tiny.ipynb": b"old", "ada/tiny (1).ipynb": b"new"})
    for name in ("tiny.ipynb", "tiny (1).ipynb"):
        os.utime(folder / "ada" / name, (10**9, 10**9))
    outcome = collect(tiny, ASSIGNMENT, [folder])
    assert (tiny.root / f"submitted/ada/{ASSIGNMENT}/tiny.ipynb").read_bytes() == b"new"
    assert "left out" in " ".join(outcome.done[0][0].notes)


def test_two_people_of_one_name_are_not_mixed_up(tiny, download):
    folder = download(
        {
            "m.zip": zipped(
                {
                    f"Ada Lovelace_{number}_assignsubmission_file_/tiny.ipynb": NOTEBOOK
                    for number in (1, 2)
                }
            )
        }
    )
    outcome = collect(tiny, ASSIGNMENT, [folder / "m.zip"])
    assert len(outcome.unknown) == 2 and submitted(tiny) == {}
    (folder / "who.csv").write_text("file,student\n*_1_assign*,ada\n*_2_assign*,other_ada\n")
    assert not collect(tiny, ASSIGNMENT, [folder / "m.zip"], folder / "who.csv").unknown
    assert submitted(tiny) == {"ada": FILES, "other_ada": FILES}


def test_a_mapping_file_says_what_cannot_be_told(tiny, download, grading):
    folder = download({"x/tiny.ipynb": NOTEBOOK, "x/Copy of tiny.ipynb": NOTEBOOK})
    (folder / "x" / "tiny.ipynb").rename(folder / "tiny.ipynb")
    (folder / "x" / "Copy of tiny.ipynb").rename(folder / "Copy of tiny.ipynb")
    first = grading("collect", ASSIGNMENT, str(folder))
    assert (
        first.returncode == 1
        and "whose is it? tiny.ipynb" in first.stdout
        and "--students" in first.stdout
    )
    (folder.parent / "who.csv").write_text("tiny.ipynb,ada\nCopy of tiny.ipynb,alan\n")
    second = grading(
        "collect", ASSIGNMENT, str(folder), "--students", str(folder.parent / "who.csv")
    )
    assert second.returncode == 0, second.stdout + second.stderr
    assert submitted(tiny) == {"ada": FILES, "alan": FILES}


@pytest.mark.parametrize(
    "line, said",
    [("tiny.ipynb", "line 1"), ("a,b,c", "line 1"), ("tiny.ipynb,../eve", "cannot be a student")],
)
def test_a_wrong_mapping_file_is_one_sentence(tiny, download, line, said):
    folder = download({"ada/tiny.ipynb": NOTEBOOK})
    (folder / "who.csv").write_text(line)
    with pytest.raises(CourseError, match=said):
        collect(tiny, ASSIGNMENT, [folder], folder / "who.csv")


def test_a_course_may_say_how_its_files_are_named(tiny, download):
    config = tiny.root / "nbgrader_config.py"
    config.write_text(
        config.read_text()
        + '\nc.FileNameCollectorPlugin.named_regexp = r".*hw-(?P<student_id>\\w+)-(?P<file_id>tiny)"\n'
    )
    collect(Course.at(tiny.root), ASSIGNMENT, [download({"hw-ada-tiny.ipynb": NOTEBOOK})])
    assert submitted(tiny) == {"ada": FILES}


def test_the_gradebook_knows_its_students(tiny, download, grading):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{tiny.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student("al17", first_name="Ada", last_name="Lovelace")
    folder = download({"Ada Lovelace/tiny.ipynb": NOTEBOOK, "eve/tiny.ipynb": NOTEBOOK})
    done = grading("collect", ASSIGNMENT, str(folder))
    assert done.returncode == 1 and submitted(tiny) == {"al17": FILES}
    assert "not among the students of the gradebook, and left out: eve" in done.stdout
    assert "1 of strangers" in done.stdout
    again = grading("collect", ASSIGNMENT, str(folder), "--allow-unknown")
    assert again.returncode == 0 and submitted(tiny) == {"al17": FILES, "eve": FILES}


# ---- Resubmissions -------------------------------------------------------------------------------


def test_a_resubmission_replaces_and_keeps_the_earlier_one(tiny, download):
    collect(
        tiny,
        ASSIGNMENT,
        [
            download({"a.zip": zipped({"ada/tiny.ipynb": b"first", "ada/extra.txt": b"x"})})
            / "a.zip"
        ],
    )
    stamp = tiny.root / f"submitted/ada/{ASSIGNMENT}/timestamp.txt"
    before = stamp.read_text()
    collect(
        tiny,
        ASSIGNMENT,
        [
            download({"b.zip": zipped({"ada/tiny.ipynb": b"second"}, (2026, 3, 2, 12, 0, 0))})
            / "b.zip"
        ],
    )
    assert submitted(tiny) == {"ada": FILES} and stamp.read_text() > before
    [earlier] = (tiny.root / "submitted_earlier/ada" / ASSIGNMENT).iterdir()
    assert (earlier / "tiny.ipynb").read_bytes() == b"first" and (
        earlier / "timestamp.txt"
    ).read_text() == before


def test_the_same_again_changes_nothing(tiny, download):
    folder = download({"ada/tiny.ipynb": b"first"})
    collect(tiny, ASSIGNMENT, [folder])
    inode = (tiny.root / f"submitted/ada/{ASSIGNMENT}").stat().st_ino
    assert [doing for _, doing in collect(tiny, ASSIGNMENT, [folder]).done] == ["unchanged"]
    assert (tiny.root / f"submitted/ada/{ASSIGNMENT}").stat().st_ino == inode
    assert not (tiny.root / "submitted_earlier").exists()


def test_an_older_one_does_not_replace_a_newer(tiny, download):
    collect(
        tiny,
        ASSIGNMENT,
        [
            download({"b.zip": zipped({"ada/tiny.ipynb": b"second"}, (2026, 3, 2, 12, 0, 0))})
            / "b.zip"
        ],
    )
    collect(tiny, ASSIGNMENT, [download({"a.zip": zipped({"ada/tiny.ipynb": b"first"})}) / "a.zip"])
    assert (tiny.root / f"submitted/ada/{ASSIGNMENT}/tiny.ipynb").read_bytes() == b"second"
    assert len(list((tiny.root / "submitted_earlier/ada" / ASSIGNMENT).iterdir())) == 1


def test_what_changed_within_the_same_second_is_graded_again(tiny, download):
    """nbgrader compares times, so a replacement must be later, whatever its archive says; also if a
    result has no time."""
    (tiny.root / "autograded/ada" / ASSIGNMENT).mkdir(parents=True)
    for content in (b"first", b"second"):
        collect(
            tiny, ASSIGNMENT, [download({"a.zip": zipped({"ada/tiny.ipynb": content})}) / "a.zip"]
        )
    times = [
        (tiny.root / step / "ada" / ASSIGNMENT / "timestamp.txt").read_text()
        for step in ("autograded", "submitted")
    ]
    assert times[0] < times[1]


def test_a_dry_run_writes_nothing(tiny, download, grading):
    done = grading(
        "collect", ASSIGNMENT, str(download({"ada/Copy of tiny.ipynb": NOTEBOOK})), "--dry-run"
    )
    assert (
        done.returncode == 0
        and "ada: new; Copy of tiny.ipynb is taken as tiny.ipynb" in done.stdout
    )
    assert "The gradebook has no students yet, so that ids were made of names" in done.stdout
    assert not (tiny.root / "submitted").exists()


# ---- What is refused -----------------------------------------------------------------------------


def test_one_file_that_swells_does_not_keep_back_the_others_in_its_archive(tiny, download):
    said_a_lot = NOTEBOOK[:-1] + b" " * (32 << 20) + b"}"
    folder = download(
        {
            "class.zip": zipped(
                {
                    "ada/tiny.ipynb": NOTEBOOK,
                    "bob/tiny.ipynb": b"\0" * (300 << 20),
                    "cy/tiny.ipynb": said_a_lot,
                }
            )
        }
    )
    outcome = collect(tiny, ASSIGNMENT, [folder / "class.zip"])
    [reason] = outcome.refused
    assert (
        "bob/tiny.ipynb" in reason
        and "larger than" in reason
        and sorted(submitted(tiny)) == ["ada", "cy"]
    )


def test_an_archive_of_too_many_files_is_refused(tiny, download, monkeypatch):
    monkeypatch.setattr(unpacking, "_Room", partial(unpacking._Room, files=3))
    folder = download({"eve.zip": zipped({f"s{number}/tiny.ipynb": b"" for number in range(5)})})
    assert "holds more than" in collect(tiny, ASSIGNMENT, [folder]).refused[0]


def test_links_in_a_folder_are_not_followed(tiny, download):
    folder = download({"ada/tiny.ipynb": NOTEBOOK})
    (folder / "eve").mkdir()
    (folder / "eve" / "tiny.ipynb").symlink_to("/etc/passwd")
    outcome = collect(tiny, ASSIGNMENT, [folder])
    assert list(submitted(tiny)) == ["ada"] and "is a link" in outcome.refused[0]


def test_what_is_not_there_is_one_sentence(tiny, download, grading):
    for arguments in (
        (ASSIGNMENT, "nowhere.zip"),
        ("no_assignment", str(tiny.root)),
        (ASSIGNMENT, str(download({"readme.md": b""}))),
    ):
        done = grading("collect", *arguments)
        assert (
            done.returncode == 1
            and done.stderr.startswith("nbseal: ")
            and "Traceback" not in done.stderr
        ), arguments
