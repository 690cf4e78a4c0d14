"""Feedback without leaks: what students receive says what was checked and how it went, never what
it was checked with.

A GenerateFeedback preprocessor. autograded/ keeps everything, for Formgrader; on the way to
feedback/ this takes out

- hidden tests, from every cell of the instructor's;
- the outputs of sealed test cells: labels, verdicts and named mistakes take their place, and of
  visible probes of declared tasks also the call, what was expected and what was answered;
- the outputs of every other cell that ran when the session could have seen a hidden test, since
what it printed,
  displayed or raised may carry it: of a test cell remains whether it passed;
- files that the session wrote and the state of widgets, for the same reason.

A student can run the visible tests again and read all that they say.
"""

from dataclasses import replace
from html import escape
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor
from traitlets import Bool, List
from traitlets.config import Config

from nbseal.cells.declared import uses_check
from nbseal.nbgrader_internals import course_of, remove_hidden_tests
from nbseal.notebook.marks import is_test
from nbseal.notebook.notes import OURS, explained, verdict_of
from nbseal.pages.feedback_page import rows
from nbseal.records import CellVerdict

CUT = "# (hidden tests)"
# characters shown of a cell, and of all; colouring takes their square
LONGEST_CELL, LONGEST_NOTEBOOK = 20_000, 300_000
SHORTENED = (
    "\n... (The rest of this cell is not shown: it is too long. You have it in what you handed in.)"
)
WITHHELD = (
    "(Not shown: hidden tests ran before this cell. Run it in your own notebook to see what it "
    "says.)"
)


class StripHidden(NbGraderPreprocessor):
    """Remove from an autograded notebook what its student is not to see. Its place is after
    GetGrades."""

    # nbconvert sets it for every preprocessor, and nbgrader's would each warn that they lack it
    display_data_priority: List = List().tag(config=True)
    sealed = Bool(
        True,
        help="Whether submissions were executed by this project's engine; if not, every output may "
        "carry hidden tests.",
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict):
        # for its delimiters
        cutter = ClearHiddenTests(config=Config(ClearHiddenTests=self.config.ClearHiddenTests))
        hidden = [_has_hidden_tests(cell, cutter) for cell in nb.cells]
        # Under nbgrader's own engine the tests lie in the session's folder, where its first cell
        # can read them; in a repetition an earlier attempt may have left them somewhere.
        ours = nb.metadata.get(OURS, {})
        sealed = self.sealed and ours.get("sealed", False) and not ours.get("repeated", False)
        seen = any(hidden) and not sealed
        # What declared tasks ask is in tasks.json, which students have: what was answered gives
        # nothing away, unless a hidden `expect` could have been seen.
        secret = seen or any(
            holds and not uses_check(cell.source) for cell, holds in zip(nb.cells, hidden)
        )
        # for the page's head; before the notes it is made of are taken away
        resources["nbgrader"]["rows"] = rows(nb)
        room = LONGEST_NOTEBOOK
        for cell, holds_hidden in zip(nb.cells, hidden):
            if holds_hidden:
                _cut(cell, cutter)
            if len(cell.source) > min(LONGEST_CELL, room):
                cell.source = cell.source[: min(LONGEST_CELL, room)] + SHORTENED
            room = max(0, room - len(cell.source))
            if cell.cell_type == "code":
                details = not secret and uses_check(cell.source)
                # what a declared task asks is no secret, nor what is shown after it
                tells = holds_hidden and not (sealed and uses_check(cell.source))
                _limit_outputs(cell, seen, seen_now=seen or tells, details=details)
                seen = seen or tells
            cell.metadata.pop(OURS, None)
        nb.metadata.pop(OURS, None)
        nb.metadata.pop("widgets", None)
        self._remove_written_files(resources)
        return nb, resources

    def _remove_written_files(self, resources: dict) -> None:
        """nbgrader has copied all that lies beside the autograded notebook; what the student handed
        in may stay. It lies where feedback is returned, or in the folder that is named."""
        names, coursedir = resources["nbgrader"], course_of(self)
        feedback, autograded, submitted = (
            Path(coursedir.format_path(step, names["student"], names["assignment"]))
            for step in (
                coursedir.feedback_directory,
                coursedir.autograded_directory,
                coursedir.submitted_directory,
            )
        )
        feedback = Path(names.get("folder", feedback))
        reports = {path.with_suffix(".html").name for path in autograded.glob("*.ipynb")}
        for path in [path for path in feedback.rglob("*") if path.is_file()]:
            relative = path.relative_to(feedback)
            if str(relative) not in reports and not _is_same(path, submitted / relative):
                path.unlink()


def _has_hidden_tests(cell: NotebookNode, cutter: ClearHiddenTests) -> bool:
    """Only a cell that is restored from the gradebook can hold any; in a student's own cell the
    words mean nothing."""
    instructors = utils.is_locked(cell) or utils.is_task(cell)
    return instructors and cutter.begin_test_delimeter in cell.source


def _cut(cell: NotebookNode, cutter: ClearHiddenTests) -> None:
    """One line in the place of each hidden region. Raises RuntimeError, so that nothing is
    returned, if one has no end."""
    lines = []
    for line in cell.source.split("\n"):
        lines += [CUT, line] if cutter.begin_test_delimeter in line else [line]
    cell.source = "\n".join(lines)
    remove_hidden_tests(cutter, cell)


def _limit_outputs(cell: NotebookNode, seen_before: bool, seen_now: bool, details: bool) -> None:
    """Keep of a cell's outputs what cannot carry a hidden test. details: also what was answered to
    visible checks."""
    verdict = verdict_of(cell)
    if verdict is not None:
        text = _verdict_text(verdict, seen_before, details, not seen_now)
        cell.outputs = [new_output("stream", name="stdout", text=text), *_sections(verdict)]
    elif seen_now and is_test(cell):
        cell.outputs = [new_output("stream", name="stdout", text=_score_text(cell))]
    elif seen_now and cell.outputs:
        cell.outputs = [new_output("stream", name="stdout", text=WITHHELD)]


def _verdict_text(verdict: CellVerdict, seen_before: bool, details: bool, is_open: bool) -> str:
    """A line for each check, failed ones first. Labels and mistakes are the instructor's words; a
    reason or a problem may quote what the student's code said, but for the part that is safe.
    is_open: no hidden test has run until the end of this cell: the text of an error may be told."""
    failed = [check for check in verdict.failed if not check.is_passed_over]
    lines: list[str] = []
    for check in failed:
        shown = (details if check.reached else is_open) and bool(check.reason)
        reason = check.reason if shown else check.safe
        details = details and not shown  # of the first alone: others mostly repeat it
        lines += [f"✗ {check.label}", *explained(replace(check, reason=reason))]
    if verdict.problem:
        lines.append("The test did not run to its end." if seen_before else verdict.problem)
    for check in verdict.failed:
        lines += [f"· {check.label} (not reached)"] if check.is_passed_over else []
    lines += [f"✓ {check.label}" for check in verdict.checks if check.ok]
    return "\n".join(lines or ["Passed." if verdict.passed else "Not passed."])


def _sections(verdict: CellVerdict) -> list[NotebookNode]:
    """A link to where the lecture explains the mistake, if that has an address on the web."""
    places = [check.see for check in verdict.checks if check.see and check.see[1]]
    links = [f'→ <a href="{escape(web)}">{escape(title)}</a>' for title, web in places]
    return [new_output("display_data", {"text/html": f"<p>{link}</p>"}) for link in links]


def _score_text(cell: NotebookNode) -> str:
    marks = cell.metadata.nbgrader
    if marks.get("score", 0) >= marks["points"]:
        return "Passed."
    again = " Run this check in your own notebook to see what it says." * uses_check(cell.source)
    return f"Not passed, or not in full.{again}"


def _is_same(path: Path, handed_in: Path) -> bool:
    return handed_in.is_file() and handed_in.read_bytes() == path.read_bytes()
