"""Cells that a person grades, and tests that end in a value: what a run of a class says of them."""

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook
from support.classroom import ASSIGNMENT, NOTEBOOK, Classroom, run
from support.engine_tools import code

ESSAY = new_markdown_cell("Why is that so?")
ESSAY.metadata["nbgrader"] = {
    "grade_id": "essay",
    "grade": True,
    "solution": True,
    "locked": False,
    "schema_version": 3,
    "task": False,
    "points": 4,
}
CELLS = [
    code("def double(x):\n    return 2 * x", "double", solution=True),
    code("double(3) == 6", "double_test", test=True, points=2),
    ESSAY,
]


@pytest.fixture
def room(tmp_path):
    room = Classroom(tmp_path / "course", CELLS)
    room.hand_in("ada", essay="Because it is even.")
    room.hand_in("emmy")
    room.hand_in("grace", essay="Since two is two.")
    room.hand_in("mary")
    return room


def test_a_test_that_ends_in_a_value_is_warned_of_once(room):
    done = room.autograde()
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "Cell output is True" in line]
    assert len(said) == 1 and f"{NOTEBOOK}/double_test" in said[0]
    assert "Currently treating other output as full credit" in done.stderr
    assert room.scores("mary") == {"double_test": 2.0, "essay": 0}


def test_what_waits_for_a_person_and_what_was_left_empty_did_not_fail(room):
    done = room.autograde()
    assert _row(done.stdout) == "by hand 2 to be graded by hand, 2 left empty"
    assert _reported(room)[2:] == ["2 to be graded by hand, 2 left empty"]
    done = run(room.root, "-m", "nbseal", "feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    assert _fed_back(room, "ada") == ["of 4", "Not graded yet: a person does that."]
    assert _fed_back(room, "emmy") == ["0 / 4", ""]

    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        for student, points in (("ada", 4), ("grace", 3)):
            grade = gradebook.find_grade("essay", NOTEBOOK, ASSIGNMENT, student)
            grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()
    done = room.autograde("--force")
    assert _row(done.stdout) == "by hand 3.5 of 4 2 left empty"
    assert _reported(room)[:4] == ["essay2 left empty", "4", "3.5", "50%"]


def _row(summary: str) -> str:
    """What the summary says of the essay."""
    [row] = [line for line in summary.splitlines() if line.startswith(f"{NOTEBOOK}/essay")]
    return " ".join(row.split()[1:])


def _fed_back(room: Classroom, student: str) -> list[str]:
    """What the table of a student's page says of the essay."""
    page = room.folder(student, "feedback") / f"{NOTEBOOK}.html"
    rows = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find_all("tr")
    texts = [[cell.get_text().strip() for cell in row.find_all("td")] for row in rows]
    return next(cells[1:] for cells in texts if cells and cells[0].endswith("essay"))


def _reported(room: Classroom) -> list[str]:
    """What the report's table of tasks says of the essay."""
    done = run(room.root, "-m", "nbseal", "report", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    [page] = room.root.glob("reports/**/*.html")
    rows = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find_all("tr")
    texts = [[cell.get_text().strip() for cell in row.find_all("td")] for row in rows]
    return next(cells for cells in texts if cells and cells[0].startswith("essay"))
