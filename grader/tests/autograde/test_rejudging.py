"""`nbseal rejudge`: after a test was mended, a class has the scores and sentences that grading it
again would give, and nobody's code was run."""

import copy
import json
import shutil

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbseal.notebook.answers import kept, place_of
from nbseal.notebook.notes import verdict_of
from support.classroom import ASSIGNMENT, NOTEBOOK, SEALED, Classroom, run
from support.engine_tools import code

CLASS = {
    "ann": {},
    "bob": {"double": "def double(x):\n    return x + 3"},  # right for 3, and for nothing else
    "cem": {"double": "def double(x):\n    return 3 * x"},
    "dan": {"square": "def square(x):\n    return x * x * 1.001"},
    "eve": {"double": "def double(x):\n    raise KeyError(x)"},
    "fay": {"double": "def double(x):\n    while True: pass"},
    "gil": {"double": "def double(x):\n    return 3 + x"},
}
CONFIG = "c.SealedExecute.timeout = 2"
MENDED = {
    # another expected value, another mistake, a wider tolerance
    'double(3), 6, mistakes={"You added 2.": 5}': 'double(3), 6, mistakes={"You tripled.": 9}',
    '"3 squared", square(3), 9': '"3 squared", square(3), 9, tolerance=0.01',
    "[0] ** 2)": "[0] ** 2, tolerance=0.01)",
}


def mend(room, changes):
    nb = nbformat.read(room.source, as_version=4)
    for cell in nb.cells:
        for old, new in changes.items():
            cell.source = cell.source.replace(old, new)
    nbformat.write(nb, room.source)
    done = room.nbgrader("generate_assignment", ASSIGNMENT, "--force")
    assert done.returncode == 0, done.stderr


def rejudge(room, *arguments):
    return run(room.root, "-m", "nbseal", "rejudge", ASSIGNMENT, *arguments)


def said(room, student):
    """What a student is told of each check."""
    verdicts = filter(None, map(verdict_of, room.autograded(student).cells))
    return [(one.grade_id, one.passed, one.problem, one.checks) for one in verdicts]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("graded"), config=CONFIG)
    for student, cells in CLASS.items():
        room.hand_in(student, **cells)
    done = room.autograde()
    assert done.returncode == 0, done.stderr
    return room


@pytest.fixture
def room(graded, tmp_path):
    """The graded class, in a folder of its own."""
    shutil.copytree(graded.root, tmp_path / "room", dirs_exist_ok=True)
    again = copy.copy(graded)
    again.root = tmp_path / "room"
    again.source = again.root / graded.source.relative_to(graded.root)
    return again


def test_scores_and_sentences_are_those_of_grading_again(room):
    before = room.scores("dan"), room.scores("ann")
    mend(room, MENDED)
    done = rejudge(room)
    assert done.returncode == 0, done.stderr
    assert "1 scores have changed (dan)" in done.stderr
    judged = {name: (room.scores(name), said(room, name)) for name in CLASS}
    rows = room.rows()
    assert room.scores("dan") != before[0] and room.scores("ann") == before[1]
    assert any(
        check.mistake == "You tripled." for *_, checks in judged["cem"][1] for check in checks
    )
    again = room.autograde("--force")
    assert again.returncode == 0, again.stderr
    assert {name: (room.scores(name), said(room, name)) for name in CLASS} == judged
    assert room.rows() == rows


def test_nothing_of_a_submission_is_run(room):
    for student in CLASS:
        shutil.rmtree(room.folder(student, "submitted"))
        room.folder(student, "submitted").mkdir(parents=True)
        (room.folder(student, "submitted") / f"{NOTEBOOK}.ipynb").write_text("{}")
    mend(room, MENDED)
    done = rejudge(room)
    assert done.returncode == 0, done.stderr
    assert room.scores("dan")["square_test"] == 3
    nb = room.autograded("ann")
    printed = [cell for cell in nb.cells if cell.source.startswith("print")]
    assert all(cell.outputs and cell.execution_count for cell in printed)


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"double(3), 6": "double(4), 8"}, "asks for something else"),
        ({"seed=1": "seed=2"}, "asks for something else"),
    ],
)
def test_what_needs_running_again_says_so_and_stays_as_it_was(room, changes, why):
    mend(room, changes)
    before = room.rows(), (room.folder("ann", "autograded") / f"{NOTEBOOK}.ipynb").read_bytes()
    done = rejudge(room)
    assert "have to be run again" in done.stderr and why in done.stderr, done.stderr
    assert "ann, bob, cem, dan, eve and 2 more" in done.stderr
    after = room.rows(), (room.folder("ann", "autograded") / f"{NOTEBOOK}.ipynb").read_bytes()
    assert before == after


def test_a_submission_whose_answers_are_of_another_notebook_needs_running_again(room):
    path = room.folder("ann", "autograded") / f"{NOTEBOOK}.ipynb"
    path.write_text(path.read_text().replace("return 2 * x", "return x * 2"))
    place_of(room.root, ASSIGNMENT, "bob", NOTEBOOK).unlink()
    place_of(room.root, ASSIGNMENT, "cem", NOTEBOOK).write_bytes(b"{damaged")
    mend(room, MENDED)
    done = rejudge(room)
    assert "3 submissions have to be run again, because no answers" in done.stderr, done.stderr
    assert "ann, bob, cem" in done.stderr


def test_a_cell_that_students_are_given_needs_running_again_where_it_changes(tmp_path):
    given = code("base = 1", "given")
    given.metadata["nbgrader"]["locked"] = True
    room = Classroom(tmp_path, [*SEALED[:1], given, *SEALED[1:]])
    room.hand_in("ann")
    assert room.autograde().returncode == 0
    mend(room, {"base = 1": "base = 2"})
    assert "which students are given, has changed" in rejudge(room).stderr


def test_the_report_puts_students_with_the_same_wrong_answer_into_one_row(graded):
    done = run(graded.root, "-m", "nbseal", "report", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    page = (graded.root / "reports" / ASSIGNMENT / "report.html").read_text()
    rows = [row.text for row in BeautifulSoup(page, "html.parser").find_all("tr")]
    [pair] = [row for row in rows if "bob, gil" in row]
    assert "twice a secret" in pair and "return x + 3" in pair
    [alone] = [row for row in rows if "return 3 * x" in row]
    assert '"...": 9,' in alone and "cem" in alone  # of a visible check: a line to paste


def test_answers_are_for_the_instructor_alone(graded):
    place = place_of(graded.root, ASSIGNMENT, "ann", NOTEBOOK)
    assert place.stat().st_mode & 0o077 == 0 and place.parent.stat().st_mode & 0o077 == 0
    key = json.loads(place.read_bytes().partition(b"\n")[0])["key"]
    for step in ("autograded", "submitted", "release"):
        for path in (graded.root / step).rglob("*"):
            assert not path.is_file() or key.encode() not in path.read_bytes(), path
    assert kept(place, graded.autograded("ann")).key == key
