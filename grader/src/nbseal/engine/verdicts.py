"""From answers that were judged to what people read: verdicts, and the outputs of sealed test
cells.

What a hidden check says to students is its label and a named mistake. How it failed in detail is
for the instructor, and stands in ``CheckVerdict.detail`` alone.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence

from nbformat import NotebookNode

from nbseal.cells.by_hand import doubts, told
from nbseal.cells.sealing import ByHand
from nbseal.engine.outputs import OutputWriter, error_output, stream_output
from nbseal.notebook.files import compact
from nbseal.records import (
    CellVerdict,
    CheckVerdict,
    Execution,
    GradedExecution,
    Judged,
    Order,
    TestRecord,
)

# Names of exceptions that may be told about a hidden check. A student's own could carry what the
# test looked like.
_TELLABLE = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

NOT_REACHED = "not reached"


def write_notebook(
    notebook: NotebookNode,
    order: Order,
    execution: Execution,
    judged: dict[str, list[Judged]],
    by_hand: Mapping[str, Sequence[ByHand]] = {},
) -> GradedExecution:
    """Put outputs into a notebook and sum up what is to be said about its sealed test cells.

    by_hand: test -> what the student was to write without the ready-made operations.
    """
    writer, verdicts, flags = OutputWriter(notebook), [], []
    ordered = {cell.index: cell for cell in order.cells}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs = []
        asked = ordered.get(index)
        if cell.metadata.get("nbgrader", {}).get("grade"):
            writer.settle()
        if asked is not None and asked.test:
            record = execution.tests.get(index)
            ready_made, to_look_at = read_by_hand(
                notebook, index, by_hand.get(asked.grade_id, ()), record
            )
            verdict = judge_cell(
                asked.grade_id,
                record,
                judged.get(asked.grade_id, []),
                execution.problem,
                ready_made,
            )
            verdicts.append(verdict)
            # where points are at stake; a cell that failed has been explained already
            if verdict.passed:
                flags += [f"{asked.grade_id}: {doubt}" for doubt in to_look_at]
            flags += [
                f"{asked.grade_id}: {check.label}: {check.flag}"
                for check in judged.get(asked.grade_id, [])
                if check.flag
            ]
            writer.count(index)
            cell.outputs = cell_outputs(verdict)
        elif index in execution.ran:
            writer.write(index, execution.ran[index])
        elif asked is not None:
            reason = execution.problem or "the session ended before this cell"
            cell.outputs = [
                error_output("NotExecuted", reason, [f"This cell was not run. {reason}"])
            ]
    text = compact(writer.finish()).encode("utf-8", "replace").decode()
    return GradedExecution(
        text,
        tuple(verdicts),
        execution.seconds,
        execution.cpu_seconds,
        execution.peak_memory,
        execution.problem,
        tuple(flags),
        execution.files,
    )


def read_by_hand(
    notebook: NotebookNode, index: int, hands: Sequence[ByHand], record: TestRecord | None
) -> tuple[list[CheckVerdict], list[str]]:
    """What is to be said about a test's by-hand tasks: checks that fail because of what was seen at
    work, and doubts."""
    if not hands or record is None:
        return [], []
    own = [
        (number, cell.source)
        for number, cell in enumerate(notebook.cells[:index])
        if cell.cell_type == "code" and not _marks(cell).get("locked")
    ]
    failed, seen = told(record.used, hands)
    # The sentence names nothing but what the instructor's cell does, so a hidden check says it too.
    checks = [
        CheckVerdict(
            f"{one.target} is written by hand", False, one.hidden, one.reason, None, one.reason
        )
        for one in failed
    ]
    return checks, [*seen, *doubts(own, hands)]


def _marks(cell: NotebookNode) -> dict:
    """nbgrader's marks on a cell that it knows; it takes the name from one that it does not,
    whatever else that claims."""
    marks = cell.metadata.get("nbgrader", {})
    return marks if marks.get("grade_id") else {}


def judge_cell(
    grade_id: str,
    record: TestRecord | None,
    judged: list[Judged],
    problem: str | None,
    more: Sequence[CheckVerdict] = (),
) -> CellVerdict:
    """The verdict on one sealed test cell: passed when it ran to its end and every check holds,
    `more` included."""
    if record is None:
        return CellVerdict(grade_id, False, (), f"This test was not run. {problem or ''}".strip())
    first_missing = next((check for check in judged if not check.reached), None)
    trouble, detail = _trouble(
        record, hidden=first_missing.hidden if first_missing else any(c.hidden for c in judged)
    )
    checks = list(more)
    for check in judged:
        if check.reached:
            reason, full = check.reason, check.reason
        elif check is first_missing:
            reason, full = trouble or "no answer came for this check", detail or trouble or ""
        else:
            reason, full = NOT_REACHED, NOT_REACHED
        told = reason if not check.hidden or not check.reached else ""
        checks.append(CheckVerdict(check.label, check.ok, check.hidden, told, check.mistake, full))
    ran_through = record.outcome == "completed" and len(record.answers) == len(judged)
    passed = ran_through and bool(judged) and all(check.ok for check in checks)
    unexplained = not passed and all(check.ok for check in checks)
    return CellVerdict(
        grade_id,
        passed,
        tuple(checks),
        (trouble or "The test did not run as it should.") if unexplained else None,
    )


def _trouble(record: TestRecord, hidden: bool) -> tuple[str | None, str]:
    """Why a test stopped early: what a student may read, and what the instructor may."""
    if record.outcome == "timed out":
        return "it took too long", "it took too long"
    if record.outcome == "died":
        return "it crashed Python", "it crashed Python"
    if record.outcome != "raised":
        return None, ""
    error = record.error or {}
    name, text, trace = (_line(error.get(part)) for part in ("ename", "evalue", "traceback"))
    detail = f"your code raised {name}: {text}\n{trace}".strip()
    if not hidden:
        # The course's own complaint (by_hand) is a sentence already.
        return text if name == "CheckFailed" else f"your code raised {name}: {text}".strip(), detail
    return f"your code raised {name if name in _TELLABLE else 'an exception'}", detail


def _line(value: object) -> str:
    return (value if isinstance(value, str) else "").encode("utf-8", "replace").decode()


def cell_outputs(verdict: CellVerdict) -> list[NotebookNode]:
    """What a sealed test cell shows: a tick for each check that holds, and an error that explains
    each that does not."""
    ticks = "".join(f"✓ {check.label}\n" for check in verdict.checks if check.ok)
    outputs = [stream_output(ticks)] if ticks else []
    if verdict.passed:
        return outputs
    lines, plain = [], []
    missing = sum(check.reason == NOT_REACHED for check in verdict.checks)
    for check in (
        check for check in verdict.checks if not check.ok and check.reason != NOT_REACHED
    ):
        rest = [f"  {line}" for line in check.reason.splitlines()] + (
            [f"  → {check.mistake}"] if check.mistake else []
        )
        lines += [f"\x1b[1;31m✗ {check.label}\x1b[0m", *rest]
        plain += [check.label, *rest]
    if missing:
        sentence = f"{missing} more {'check was' if missing == 1 else 'checks were'} not reached."
        lines, plain = [*lines, sentence], [*plain, sentence]
    if verdict.problem:
        lines, plain = [*lines, verdict.problem], [*plain, verdict.problem]
    return [*outputs, error_output("CheckFailed", "\n".join(plain), lines)]
