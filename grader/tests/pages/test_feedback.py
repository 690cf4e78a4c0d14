"""What students receive: everything that helps them, and nothing that a hidden test says."""

import html
import re
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_output
from nbseal.pages.feedback import CUT, WITHHELD, StripHidden
from support.classroom import ASSIGNMENT, CANARY, NOTEBOOK, PLAIN, SEALED, Classroom, add_cell
from support.engine_tools import code, notebook, text_of
from traitlets.config import Config

CONFIG = """
c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades", "nbseal.pages.feedback.StripHidden",
                                    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"]
"""

# Keeps what it is called with, across the fork that a sealed test runs in, and says it wherever it
# can.
SPY = """
import mmap, sys, traceback
kept = mmap.mmap(-1, 1 << 16)
def double(x):
    note = f"{x!r} {[line for frame in traceback.extract_stack() for line in (frame.line or '',)]}"
    kept[:len(note.encode())] = note.encode()
    print(note); print(note, file=sys.stderr)
    open("stolen.txt", "w").write(note); open("tasks.html", "w").write(note); open("other.html", "w").write(note)
    return 2 * x
"""
TELL = """
from IPython.display import HTML, display
said = kept[:].rstrip(b"\\0").decode()
print(said, In[-3:]); display(HTML(said)); open("stolen_too.txt", "w").write(said)
raise ValueError(said)
"""
SPYING_SQUARE = "def square(x):\n    raise type('E' + ''.join(c for c in said if c.isalnum()), (Exception,), {})(said)"


@pytest.fixture(scope="module", params=["sealed", "plain"])
def returned(request, tmp_path_factory):
    """A class with a spy in it, graded and given feedback."""
    cells = SEALED if request.param == "sealed" else PLAIN
    room = Classroom(tmp_path_factory.mktemp(request.param), cells, CONFIG)
    room.hand_in("right")
    room.hand_in("wrong", double="def double(x):\n    return x + 2")
    room.hand_in("spy", add_cell(TELL, after="double_test"), double=SPY, square=SPYING_SQUARE)
    (room.folder("spy") / "notes.txt").write_text("the student's own file")
    assert room.autograde().returncode == 0
    done = room.nbgrader("generate_feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    return request.param, room


def page(room, student: str) -> str:
    """The text of a student's feedback."""
    text = (room.folder(student, "feedback") / f"{NOTEBOOK}.html").read_text()
    return html.unescape(re.sub(r"<[^>]+>", "", text[text.index("<body") :]))


@pytest.mark.parametrize("student", ["right", "wrong", "spy"])
def test_no_feedback_holds_a_hidden_input_or_expected_value(returned, student):
    _, room = returned
    folder = room.folder(student, "feedback")
    for path in folder.rglob("*"):
        text = path.read_text() if path.is_file() else ""
        assert str(CANARY) not in text and str(2 * CANARY) not in text, path
        assert "a secret" not in text.replace("twice a secret", "").replace(
            "a secret squared", ""
        ), path
    assert CUT in page(room, student) and "HIDDEN TESTS" not in page(room, student)


def test_autograded_keeps_all_of_it(returned):
    _, room = returned
    text = (room.folder("spy", "autograded") / f"{NOTEBOOK}.ipynb").read_text()
    assert str(CANARY) in text and "BEGIN HIDDEN TESTS" in text


def test_the_spy_had_seen_it(returned):
    """The test above would prove nothing if the spy had failed."""
    kind, room = returned
    outputs = str(
        [
            cell.outputs
            for cell in room.autograded("spy").cells
            if cell.cell_type == "code" and "said =" in cell.source
        ]
    )
    assert "double" in outputs
    if kind == "plain":
        assert str(CANARY) in outputs


def test_files_of_the_session_are_not_returned_and_the_students_own_are(returned):
    _, room = returned
    assert sorted(path.name for path in room.folder("spy", "feedback").iterdir()) == [
        "notes.txt",
        f"{NOTEBOOK}.html",
    ]


def test_a_student_reads_what_was_checked_and_the_named_mistake(returned):
    kind, room = returned
    text = page(room, "wrong")
    if kind == "sealed":
        assert (
            "✗ twice 3\n  → You added 2." in text
            and "✗ twice a secret" in text
            and "✓ a secret squared" in text
        )
    else:
        assert "Not passed" in text and "AssertionError" not in text
    # the source, and not what it printed
    assert text.count("between the tasks") == 1 and WITHHELD in text


# ---- One notebook at a time ----------------------------------------------------------------------


def strip(nb, tmp_path, sealed=True, **config):
    coursedir = SimpleNamespace(
        feedback_directory="feedback",
        autograded_directory="autograded",
        submitted_directory="submitted",
        format_path=lambda step, student, assignment: str(tmp_path / step),
    )
    preprocessor = StripHidden(config=Config(StripHidden={"sealed": sealed}, **config))
    object.__setattr__(
        preprocessor,
        "_trait_values",
        preprocessor._trait_values
        | {"parent": SimpleNamespace(parent=SimpleNamespace(coursedir=coursedir))},
    )
    return preprocessor.preprocess(nb, {"nbgrader": {"student": "ada", "assignment": ASSIGNMENT}})[
        0
    ]


def printing(cell, text="printed"):
    cell.outputs = [new_output("stream", name="stdout", text=text)]
    return cell


HIDDEN_TEST = "visible()\n### BEGIN HIDDEN TESTS\nhidden()\n### END HIDDEN TESTS\nafter()"


def test_outputs_before_the_first_hidden_test_stay(tmp_path):
    nb = notebook(
        printing(code("1")),
        printing(code("visible()", "a", test=True)),
        printing(code(HIDDEN_TEST, "b", test=True)),
        printing(code("2")),
    )
    nb.metadata["nbseal"] = {"sealed": True}
    result = strip(nb, tmp_path)
    assert [text_of(cell) for cell in result.cells] == [
        "printed",
        "printed",
        "Not passed, or not in full.",
        WITHHELD,
    ]
    assert result.cells[2].source == f"visible()\n{CUT}\nafter()"


@pytest.mark.parametrize(
    "sealed, metadata",
    [(True, {}), (False, {"sealed": True}), (True, {"sealed": True, "repeated": True})],
)
def test_under_another_engine_or_in_a_repetition_no_output_is_trusted(tmp_path, sealed, metadata):
    nb = notebook(printing(code("1")), printing(code(HIDDEN_TEST, "b", test=True)))
    nb.metadata["nbseal"] = metadata
    assert text_of(strip(nb, tmp_path, sealed).cells[0]) == WITHHELD


def test_a_notebook_without_hidden_tests_is_returned_whole(tmp_path):
    nb = notebook(
        printing(code("1")), printing(code("visible()", "a", test=True)), printing(code("2"))
    )
    assert [text_of(cell) for cell in strip(nb, tmp_path).cells] == ["printed"] * 3


def test_the_words_in_a_students_own_cell_mean_nothing(tmp_path):
    nb = notebook(
        printing(code("### BEGIN HIDDEN TESTS")), code("### BEGIN HIDDEN TESTS", "s", solution=True)
    )
    assert strip(nb, tmp_path).cells[0].source == "### BEGIN HIDDEN TESTS"


def test_a_region_without_an_end_returns_nothing(tmp_path):
    with pytest.raises(RuntimeError, match="No end hidden tests"):
        strip(notebook(code("### BEGIN HIDDEN TESTS\nhidden()", "a", test=True)), tmp_path)


def test_a_courses_own_delimiters_are_cut(tmp_path):
    nb = notebook(code("a\n# SECRET\nhidden()\n# OPEN", "a", test=True))
    names = {"begin_test_delimeter": "SECRET", "end_test_delimeter": "OPEN"}
    assert "hidden()" not in strip(nb, tmp_path, ClearHiddenTests=names).cells[0].source
