"""The guides do what they say: their commands are run, their links and pictures exist."""

import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbseal.notebook import files

from tests.docs import guides
from tests.docs.guides import ASSIGNMENT, DOCS, NOTEBOOK, RIGHT, WRONG

GUIDES = sorted(path.name for path in DOCS.glob("*.md"))
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?://)(?P<file>[^)#]*)(?:#(?P<heading>[^)]*))?\)")


@pytest.mark.slow
def test_an_instructor_gets_from_an_empty_server_to_returned_grades(copy, handed_in, tmp_path):
    home = tmp_path / "home"
    (home / "Downloads").mkdir(parents=True)
    with zipfile.ZipFile(home / "Downloads" / "submissions.zip", "w") as download:
        for name, solution in (("Mia Keller_71", RIGHT), ("Noah Okafor_72", WRONG)):
            path = f"{name}_assignsubmission_file/{NOTEBOOK}"  # as Moodle calls it
            download.writestr(path, nbformat.writes(handed_in(solution)))
    guides.run(guides.commands("instructor.md"), copy, home)

    feedback = copy / "feedback"
    assert (
        "You divided by D - 1" in (feedback / "noah" / ASSIGNMENT / "layer_norm.html").read_text()
    )
    with zipfile.ZipFile(copy / "reports" / ASSIGNMENT / "feedback_moodle.zip") as returned:
        assert returned.namelist() == [
            "mia_71_assignsubmission_file/layer_norm.html",
            "noah_72_assignsubmission_file/layer_norm.html",
        ]
    grades = (copy / "grades.csv").read_text()
    assert re.search(r"mia.*\b18\.0\b", grades) and re.search(r"noah.*\b16\.0\b", grades)
    assert (copy / "reports" / ASSIGNMENT / "report.html").is_file()
    assert any((home / "as_a_student").rglob("feedback/**/*.html")), (
        "feedback came back through the exchange"
    )
    assert any((copy / "dist").glob("*.zip"))


GRADED = f"""
.venv/bin/nbgrader generate_assignment {ASSIGNMENT} --force
.venv/bin/nbgrader db student add mia --first-name=Mia --last-name=Keller
.venv/bin/nbgrader db student add noah --first-name=Noah --last-name=Okafor
.venv/bin/nbseal autograde {ASSIGNMENT}
"""


@pytest.mark.slow
def test_what_happens_next_can_be_done(copy, handed_in, tmp_path):
    home = tmp_path / "home"
    (home / "Downloads").mkdir(parents=True)
    for student, solution in (("mia", RIGHT), ("noah", WRONG)):
        folder = copy / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        files.write(handed_in(solution), folder / NOTEBOOK)
        (folder / "timestamp.txt").write_text("2026-02-01 10:00:00.000000 UTC\n")
    for name, who, day in (("team", "Team 1_40", 1), ("zoe", "Zoe Park_73", 20)):
        with zipfile.ZipFile(home / "Downloads" / f"{name}.zip", "w") as download:
            path = f"{who}_assignsubmission_file/{NOTEBOOK}"
            entry = zipfile.ZipInfo(path, (2026, 3, day, 16, 0, 0))
            download.writestr(entry, nbformat.writes(handed_in(RIGHT)))
    said = guides.run(f"set -e\n{GRADED}\n{guides.commands('next.md')}", copy, home)

    assert "0 scores have changed" in said and "2 scores have changed" in said
    assert "zoe: 4 d " in said and "1 of 3 were late" in said
    assert "noah: 19 points, as mia" in said
    assert not (copy / "submitted" / "zoe").exists() and (copy / "gone/zoe/submitted").is_dir()
    assert not list((copy / ".nbseal").glob("*/*/zoe*")) and (copy / "copy.db").is_file()
    assert (copy / "feedback" / "noah" / ASSIGNMENT / "layer_norm.html").is_file()
    again = guides.run(f".venv/bin/nbseal autograde {ASSIGNMENT}", copy, home)
    assert "zoe" not in again, "who was removed stays away"


@pytest.mark.slow
def test_a_student_validates_as_the_page_says(copy, handed_in, tmp_path):
    files.write(handed_in(RIGHT), copy / "exercises" / ASSIGNMENT / NOTEBOOK)
    said = guides.run(guides.commands("student.md"), copy, tmp_path / "home")
    assert "Success! Your notebook passes all the tests." in said


@pytest.mark.slow
def test_an_author_gets_a_new_pair_from_scratch(copy, tmp_path):
    said = guides.run(guides.commands("authoring.md"), copy, tmp_path / "home")
    released = (copy / "exercises" / "08_softmax" / "softmax.ipynb").read_text()
    assert (
        "NotImplementedError" in released and "HIDDEN" not in released and "exp()" not in released
    )
    assert "08_softmax" in said


@pytest.mark.parametrize("guide", [*GUIDES, "../README.md"])
def test_links_lead_somewhere(guide):
    page = (DOCS / guide).resolve()
    broken = [
        link[0]
        for link in LINK.finditer(page.read_text(encoding="utf-8"))
        if not _leads_somewhere(page, link)
    ]
    assert not broken


def _leads_somewhere(page: Path, link: re.Match) -> bool:
    target = page.parent / link["file"] if link["file"] else page
    if not target.exists() or not link["heading"]:
        return target.exists()
    titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    return link["heading"] in {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles
    }
