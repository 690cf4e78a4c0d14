"""Damaged and odd submissions: right answers keep their points wherever they can still be found,
and nothing stops the batch.

Every kind in grader/tests/submissions/kinds is handed in by a student of its own, and the class is
graded twice for real: by `nbseal autograde` and by `nbgrader autograde`.
"""

import copy
import json
import shutil
import subprocess
import sys
import time

import nbformat
import pytest
from nbseal.authoring.nbgrader_api import environment
from nbseal.authoring.release import release
from nbseal.autograde.gradebook import ATTENTION
from nbseal.course import Course
from nbseal.intake.damage import Damaged
from nbseal.intake.repair import reading
from nbseal.intake.repair.elsewhere import without_elsewhere
from nbseal.intake.repair.skeleton import Skeleton
from nbseal.intake.repair.submission import NOTE_ID, repaired_on
from nbseal.notebook import marks
from nbseal.notebook.notes import RECORD, record_of
from submissions.catalogue import Draft, load_kinds
from support.classroom import RIGHT
from support.fixtures import TINY

ASSIGNMENT, NOTEBOOK = "01_tiny", "tiny"
KINDS = load_kinds()
COMMANDS = {
    "ours": ["-m", "nbseal", "autograde", ASSIGNMENT, "--json", "record.json"],
    "nbgrader": ["-m", "nbgrader", "autograde", ASSIGNMENT],
}


class Graded:
    """A class in which every kind was handed in once, after one command."""

    def __init__(self, name, root, right, released, done):
        self.name, self.root, self.right, self.released, self.done = (
            name,
            root,
            right,
            released,
            done,
        )

    def rows(self, student):
        """Scores by graded cell, whether flagged, and all comments."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as gradebook:
            notebook = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student)
            comments = "\n".join(comment.auto_comment or "" for comment in notebook.comments)
            return (
                {grade.name: grade.auto_score for grade in notebook.grades},
                bool(notebook.flagged),
                comments,
            )

    def autograded(self, student):
        path = self.root / "autograded" / student / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
        return nbformat.read(path, as_version=4) if path.is_file() else None


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The tiny course, released, with every kind handed in."""
    folder = tmp_path_factory.mktemp("odd") / "tiny"
    shutil.copytree(TINY, folder)
    course = Course.at(folder)
    release(course, ASSIGNMENT)
    made = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", ASSIGNMENT, "--force"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    released = nbformat.read(course.released_notebook(ASSIGNMENT), as_version=4)
    right = copy.deepcopy(released)
    for cell in right.cells:
        cell.source = RIGHT.get(marks.grade_id(cell), cell.source)
    for kind in KINDS:
        path = folder / "submitted" / kind.name / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(kind.handed_in(right, released))
    return folder, right, released


@pytest.fixture(scope="module", params=COMMANDS)
def graded(course, request, tmp_path_factory):
    folder, right, released = course
    root = tmp_path_factory.mktemp(request.param) / "course"
    shutil.copytree(folder, root)
    done = subprocess.run(
        [sys.executable, *COMMANDS[request.param]],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=900,
        env=environment(COLUMNS="200"),
    )
    return Graded(request.param, root, right, released, done)


def test_there_are_enough_kinds():
    assert len(KINDS) >= 40 and len({kind.what for kind in KINDS}) == len(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_scores(graded, kind):
    scores, _, comments = graded.rows(kind.name)
    assert scores == kind.scores(Draft(graded.right, graded.released)), f"{kind.what}: {comments}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_was_done_is_said_and_a_person_is_asked_where_one_is_needed(graded, kind):
    nb, (_, flagged, comments) = graded.autograded(kind.name), graded.rows(kind.name)
    assert nb is not None, "the batch went past it without a result"
    notes = [cell.source for cell in nb.cells if cell.get("id") == NOTE_ID]
    assert len(notes) == (kind.says is not None), notes
    assert kind.says is None or kind.says in notes[0]
    assert flagged == kind.look and (ATTENTION in comments) == kind.look, comments
    nbformat.validate(nb)  # to the letter: other programs open it too


@pytest.mark.slow
def test_the_batch_ends_and_names_who_could_not_be_graded(graded):
    hopeless = [
        kind.name
        for kind in KINDS
        if graded.autograded(kind.name).metadata.get(RECORD, {}).get("unreadable")
    ]
    assert set(hopeless) <= {kind.name for kind in KINDS if kind.gets == "nothing" and kind.look}
    assert "Traceback" not in graded.done.stderr
    for name in hopeless:
        assert name in graded.done.stderr


@pytest.mark.slow
def test_the_summary_and_the_record_say_what_was_done(graded):
    if graded.name != "ours":
        pytest.skip("nbgrader's command has neither")
    record = json.loads((graded.root / "record.json").read_text())
    repairs = {
        one["student"]: one["notebooks"][0]["repairs"]
        for one in record["submissions"]
        if one["status"] == "graded"
    }
    said = {kind.name for kind in KINDS if kind.says and kind.name in repairs}
    assert said == {student for student, notes in repairs.items() if notes}
    assert f"Repaired before grading: {len(said)};" in graded.done.stdout


@pytest.mark.slow
def test_feedback_says_what_was_done(course, graded):
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_feedback", ASSIGNMENT, "--student=[emp]*"],
        cwd=graded.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    page = {
        name: (graded.root / "feedback" / name / ASSIGNMENT / f"{NOTEBOOK}.html").read_text()
        for name in ("empty", "marks_stripped", "points_edited")
    }
    assert (
        "Nothing of this submission could be graded" in page["empty"]
        and "The file is empty" in page["empty"]
    )
    assert "marks on" in page["marks_stripped"] and "marks on" in page["points_edited"]


# ---- Parts ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny_parts(course):
    _, right, released = course
    return Skeleton(released), right, released


def test_a_sound_notebook_passes_unchanged(tiny_parts):
    skeleton, right, _ = tiny_parts
    assert repaired_on(skeleton, reading.parse(json.dumps(right).encode())) == right


def test_a_submission_cannot_bring_a_record_of_its_own(tiny_parts):
    skeleton, right, _ = tiny_parts
    data = json.loads(json.dumps(right))
    data["metadata"][RECORD] = {"notes": ["full marks"], "doubts": [], "unreadable": None}
    assert record_of(repaired_on(skeleton, reading.parse(json.dumps(data).encode())))["notes"] == []


def test_own_cells_stay_where_they_were(tiny_parts):
    skeleton, right, released = tiny_parts
    draft = Draft(right, released)
    own = {
        "cell_type": "markdown",
        "metadata": {},
        "id": "own",
        "source": "my thoughts ![](attachment:a.png)",
        "attachments": {"a.png": {"image/png": "aGVsbG8="}},
    }
    draft.insert_after(draft.solutions[1], own)
    draft.cells.remove(draft.tests[0])
    nb = repaired_on(skeleton, reading.parse(json.dumps(draft.nb).encode()))
    at = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in nb.cells].index("square")
    assert (
        nb.cells[at + 1].source == own["source"]
        and nb.cells[at + 1].attachments == own["attachments"]
    )
    assert len({cell.id for cell in nb.cells}) == len(nb.cells)


@pytest.mark.parametrize(
    "source, kept",
    [
        (
            "import torch\n!pip install x\ny = 1",
            "import torch\n# (left out when grading) !pip install x\ny = 1",
        ),
        (
            "if True:\n    !pip install x",
            "if True:\n    pass  # (left out when grading) !pip install x",
        ),
        ("try:\n    import google.colab\nexcept ImportError:\n    pass", None),
        ("print('!pip install x')", None),
        ("a = 5 % 3\nb = 'google.colab'", None),
        (
            "from google.colab import drive\ndef f():\n    return 1\ndrive.mount('/content/drive',\n            force=True)",
            "# (left out when grading) from google.colab import drive\ndef f():\n    return 1\n"
            "# (left out when grading) drive.mount('/content/drive',\n# (left out when grading)             force=True)",
        ),
    ],
)
def test_only_lines_that_cannot_work_here_are_left_out(source, kept):
    assert without_elsewhere(source)[0] == (kept or source)


def test_a_file_that_would_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MOST_VALUES", 100)
    with pytest.raises(Damaged, match="too large"):
        reading.parse(b'{"cells": [' + b"[],[]," * 100 + b"[]]}")


def test_files_made_to_take_long_do_not(tiny_parts):
    skeleton, right, _ = tiny_parts
    data = json.loads(json.dumps(right))
    long_cell = [
        {"cell_type": "code", "metadata": {}, "source": "x = " + "-" * 10**6 + "1", "outputs": []}
    ]
    files = [
        b'{"cells": [\n' + b"<<<<<<< a\n" * 200_000,
        b'{"cells": [' + b'{"id": "' * 200_000,
        json.dumps(data | {"cells": data["cells"] + long_cell}).encode(),
        json.dumps(
            data
            | {
                "cells": [
                    {"cell_type": "code", "source": f"y{number} = {number}"}
                    for number in range(50_000)
                ]
            }
        ).encode(),
        json.dumps(
            {"cells": [{"cell_type": "code", "source": "def f(" * 40} for _ in range(300)]}
        ).encode(),
    ]
    for content in files:
        began = time.process_time()
        try:
            repaired_on(skeleton, reading.parse(content))
        except Damaged:
            pass
        assert time.process_time() - began < 10, content[:60]
