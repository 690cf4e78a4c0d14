"""What students receive: everything that helps them, and nothing that a hidden test says."""

import html
import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell, new_output
from nbseal.configure import configure
from nbseal.notebook.notes import note_verdict
from nbseal.pages.feedback import CUT, WITHHELD, StripHidden
from nbseal.pages.feedback_page import FeedbackExporter, rows
from nbseal.pages.safe_notebook import NO_ALT
from nbseal.records import CellVerdict, CheckResult
from support.classroom import ASSIGNMENT, CANARY, NOTEBOOK, PLAIN, SEALED, Classroom, add_cell
from support.engine_tools import code, notebook, text_of
from support.hostile import SVG
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


# ---- What is said of a test ----------------------------------------------------------------------

BY_HAND = "norm is to be written by hand: torch's layer_norm was called."
CHECKS = (
    CheckResult("starts at 1", True, False),
    CheckResult("one row", False, False, "got 4827, wanted 2", "You added 2."),
    CheckResult("norm is written by hand", False, False, BY_HAND, safe=BY_HAND),
    CheckResult(
        "an empty row",
        False,
        False,
        "your code raised KeyError: 4827",
        reached=False,
        safe="your code raised KeyError",
    ),
    CheckResult("a batch", False, reached=False),
)


def graded_notebook(*checks, passed=False, problem=None):
    nb = notebook(
        code("1"),
        new_markdown_cell("## Task 1 · Norms with $\\epsilon$ and <b>more</b>\n\n# Not this"),
        code("def norm(x): ...", "norm", solution=True),
        code(HIDDEN_TEST, "norm_test", test=True, points=2),
        code("more()", "more_norm_test", test=True, points=1),
    )
    nb.cells[1].metadata["nbgrader"] = {"grade_id": "task_norm", "locked": True}
    for cell, verdict in (
        (nb.cells[3], CellVerdict("norm_test", passed, checks, problem)),
        (nb.cells[4], CellVerdict("more_norm_test", True, checks[:1])),
    ):
        note_verdict(cell, verdict)
        marks = cell.metadata["nbgrader"]
        marks["score"] = marks["points"] if verdict.passed else 0
    nb.metadata["nbseal"] = {"sealed": True}
    return nb


DECLARED = 'check("norm")\n### BEGIN HIDDEN TESTS\ncheck("norm", hidden=True)\n### END HIDDEN TESTS'
DETAILS = "called    norm([3])\nexpected  3\ngot       4827"
ASKED = (
    CheckResult(
        "one row", False, False, DETAILS, "You added 2.", ("lecture 01, 2 · Sums", "https://a")
    ),
    CheckResult("two rows", False, False, DETAILS),
    CheckResult("a batch (new inputs)", False, True, detail="expected 7, got 8"),
)


def test_a_declared_check_tells_call_and_values_of_visible_probes_alone(tmp_path):
    nb = graded_notebook(*ASKED)
    nb.cells[3].source = nb.cells[4].source = DECLARED
    assert text_of(strip(nb, tmp_path).cells[3]).split("\n") == [
        "✗ one row",
        *(f"  {line}" for line in DETAILS.split("\n")),
        "  → You added 2. (see lecture 01, 2 · Sums)",
        "✗ two rows",
        "✗ a batch (new inputs)",
    ]
    nb = graded_notebook(*ASKED)
    [_, link] = strip(nb, tmp_path).cells[3].outputs
    assert link.data["text/html"] == '<p>→ <a href="https://a">lecture 01, 2 · Sums</a></p>'


@pytest.mark.parametrize("repeated", [False, True])
def test_where_a_hidden_expect_could_be_seen_no_answer_is_shown(tmp_path, repeated):
    nb = graded_notebook(*ASKED)
    nb.cells[3].source = DECLARED
    nb.cells[4].source = DECLARED if repeated else HIDDEN_TEST
    nb.metadata["nbseal"] = {"sealed": True, "repeated": repeated}
    assert "4827" not in text_of(strip(nb, tmp_path).cells[3])


def test_failed_checks_come_first_and_what_was_not_reached_is_no_failure(tmp_path):
    text = text_of(strip(graded_notebook(*CHECKS), tmp_path).cells[3])
    assert text.split("\n") == [
        "✗ one row",
        "  → You added 2.",
        "✗ norm is written by hand",
        f"  {BY_HAND}",
        "✗ an empty row",
        "  your code raised KeyError",
        "· a batch (not reached)",
        "✓ starts at 1",
    ]


def test_a_row_for_each_task_says_what_to_look_at_first():
    first, second = rows(graded_notebook(*CHECKS))
    assert (first.title, first.score, first.points) == (
        "Task 1 · Norms with $\\epsilon$ and <b>more</b>",
        0,
        2,
    )
    assert first.first == "one row: You added 2."
    assert second.title.endswith(": more_norm") and second.first == "" and second.is_full
    assert rows(graded_notebook(*CHECKS[2:]))[0].first == BY_HAND
    raised = rows(graded_notebook(CHECKS[0], *CHECKS[3:]))[0].first
    assert raised == "an empty row: your code raised KeyError"
    ended = rows(graded_notebook(CHECKS[0], problem="It ended."))[0].first
    assert ended == "The test did not run to its end."


def exported(nb, tmp_path):
    config = Config()
    configure(config)
    config.HTMLExporter.template_name = "feedback"  # as nbgrader does
    resources = {"nbgrader": {"student": "ada", "assignment": ASSIGNMENT, "notebook": "norms"}}
    resources["nbgrader"] |= {"score": 1.0, "max_score": 3.0, "late_penalty": 0.5}
    resources["nbgrader"]["rows"] = rows(nb)
    return FeedbackExporter(config=config).from_notebook_node(nb, resources=resources)[0]


def test_the_page_begins_with_the_score_and_links_to_what_failed(tmp_path):
    soup = BeautifulSoup(exported(graded_notebook(*CHECKS), tmp_path), "html.parser")
    assert soup.find(class_="total").text == "1 of 3 points, after a late penalty of 0.5"
    link = soup.find("table", class_="tasks").find("a")
    assert soup.find(id=link["href"].removeprefix("#")).find("details")
    assert soup.find("table", class_="tasks").find("b") is None  # of a title


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing(tmp_path):
    soup = BeautifulSoup(exported(graded_notebook(*CHECKS), tmp_path), "html.parser")
    assert not soup.find_all(["script", "noscript", "link"]) and not soup.find_all(src=True)
    policy = soup.find("meta", {"http-equiv": True})["content"]
    assert "default-src 'none'" in policy and "script-src 'none'" in policy


def test_a_formula_in_a_title_is_a_formula(tmp_path):
    soup = BeautifulSoup(exported(graded_notebook(*CHECKS), tmp_path), "html.parser")
    link = soup.find("table", class_="tasks").find("a")
    assert link.find("math").text == "ϵ" and link.text.endswith("and <b>more</b>")


def test_a_courses_own_template_stays(tmp_path):
    config = Config()
    configure(config)
    config.HTMLExporter.template_name = "classic"
    assert FeedbackExporter(config=config).template_name == "classic"


def test_pictures_have_a_description_and_code_its_colours(tmp_path):
    nb = graded_notebook(*CHECKS)
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    told = {"image/png": {"alt": "A < B"}}
    nb.cells[2].outputs = [
        new_output("display_data", {"image/png": picture}),
        new_output("display_data", {"image/png": picture}, metadata=told),
        new_output("display_data", {"image/svg+xml": SVG}),
    ]
    soup = BeautifulSoup(exported(nb, tmp_path), "html.parser")
    assert [one["alt"] for one in soup.find_all("img")] == [NO_ALT, "A < B", NO_ALT]
    cell = soup.find(id="norm").find(class_="highlight")
    assert cell.text.strip() == "def norm(x): ..." and cell.find("span", class_="k").text == "def"


def test_the_text_of_an_error_in_a_visible_check_is_told_until_a_hidden_test_has_run(tmp_path):
    said = "your code raised KeyError: 'weight'"
    raised = CheckResult(
        "a key", False, False, said, safe="your code raised KeyError", reached=False
    )
    for source, told in (("expect('a key', 1)", True), (HIDDEN_TEST, False)):
        nb = graded_notebook(raised)
        nb.cells[3].source = source
        assert (said in text_of(strip(nb, tmp_path).cells[3])) is told


@pytest.mark.parametrize("source, is_shown", [(DECLARED, True), (HIDDEN_TEST, False)])
def test_a_plot_after_hidden_tests_is_shown_where_these_were_declared(tmp_path, source, is_shown):
    nb = graded_notebook(*ASKED)
    nb.cells[3].source = source
    plot = code("draw()", "plot", solution=True)
    plot.outputs = [new_output("stream", name="stdout", text="the work itself")]
    nb.cells.append(plot)
    assert ("the work itself" in text_of(strip(nb, tmp_path).cells[5])) is is_shown
