"""After a test was mended, `nbseal autograde --force` grades a class again and says whose score
changed; the report groups what was answered wrongly without a name."""

import json

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbseal.notebook.notes import verdict_of
from support.classroom import ASSIGNMENT, NOTEBOOK, Classroom, run

CLASS = {
    "ann": {},
    "bob": {"double": "def double(x):\n    return x + 3"},  # right for 3, and for nothing else
    "cem": {"double": "def double(x):\n    return 3 * x"},
    "dan": {"square": "def square(x):\n    return x * x * 1.001"},
    "gil": {"double": "def double(x):\n    return 3 + x"},
}
WIDER = {'"3 squared", square(3), 9': '"3 squared", square(3), 9, tolerance=0.01'}
WIDER |= {"[0] ** 2)": "[0] ** 2, tolerance=0.01)"}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("graded"))
    for student, cells in CLASS.items():
        room.hand_in(student, **cells)
    done = room.autograde()
    assert done.returncode == 0, done.stderr
    assert "Graded before" not in done.stdout
    return room


def failed(room, student):
    verdicts = filter(None, map(verdict_of, room.autograded(student).cells))
    return {check.label: check for verdict in verdicts for check in verdict.failed}


def test_the_report_puts_students_with_the_same_wrong_answer_into_one_group(room):
    done = run(room.root, "-m", "nbseal", "report", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    page = (room.root / "reports" / ASSIGNMENT / "report.html").read_text()
    rows = [row.text for row in BeautifulSoup(page, "html.parser").find_all("li")]
    [pair] = [row for row in rows if "bob, gil" in row]
    assert "twice a secret" in pair and "return x + 3" in pair
    [alone] = [row for row in rows if "return 3 * x" in row]
    assert '"...": 9,' in alone and "cem" in alone  # of a visible check: a line to paste


def test_a_failed_check_keeps_what_was_answered_and_a_hidden_one_its_digest(room):
    assert failed(room, "cem")["twice 3"].answer == "9"
    hidden = failed(room, "bob")["twice a secret"].answer
    assert hidden.startswith("#") and hidden == failed(room, "gil")["twice a secret"].answer
    assert hidden != failed(room, "cem")["twice a secret"].answer


def test_grading_again_says_whose_score_changed_and_from_what_to_what(room):
    nb = nbformat.read(room.source, as_version=4)
    for cell in nb.cells:
        for old, new in WIDER.items():
            cell.source = cell.source.replace(old, new)
    nbformat.write(nb, room.source)
    done = room.nbgrader("generate_assignment", ASSIGNMENT, "--force")
    assert done.returncode == 0, done.stderr
    done = room.autograde("--force", "--json", "done.json")
    assert done.returncode == 0, done.stderr
    assert "Graded before: 5, with another score: 1" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["changed", "before", "after"] in lines and ["dan", "2", "5"] in lines
    told = json.loads((room.root / "done.json").read_text())
    assert told["changed"] == ["dan"]
    assert {one["student"]: one["before"] for one in told["submissions"]}["dan"] == 2.0
    (room.folder("ann", "submitted") / f"{NOTEBOOK}.ipynb").write_text("{")
    done = room.autograde("--student=ann", "--force")
    assert ["ann", "5", "0"] in [line.split() for line in done.stdout.splitlines()], done.stdout
