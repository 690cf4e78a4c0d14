"""From answers that were judged to what people read: verdicts, and the outputs of sealed test
cells.

What a hidden check says to students is its label and a named mistake. How it failed in detail is
for the instructor, and stands in ``CheckResult.detail`` alone.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nbformat import NotebookNode

from nbseal.cells.by_hand import told
from nbseal.cells.sealing import ByHand
from nbseal.engine.outputs import OutputWriter, error_output, stream_output
from nbseal.notebook.notes import explained
from nbseal.notebook.text import without_paths
from nbseal.records import (
    CellOrder,
    CellVerdict,
    CheckResult,
    Execution,
    GradedExecution,
    Order,
    TestRecord,
)

TOO_LONG = "it took too long"
# Names of exceptions that may be told about a hidden check. A student's own could carry what the
# test looked like.
_TELLABLE = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

Judged = Mapping[str, list[CheckResult]]  # test -> what the answer key says about its checks


def graded_execution(
    notebook: NotebookNode,
    order: Order,
    execution: Execution,
    judged: Judged,
    by_hand: Mapping[str, Sequence[ByHand]] = {},
    read: Mapping[int, Sequence[str]] = {},
    unread: Mapping[int, str] = {},
) -> GradedExecution:
    """What each cell of a notebook shows, and what is to be said about its sealed test cells.

    by_hand: test -> what the student was to write without the ready-made operations; read: place of
    a test -> what its student's source gives a person to look at; unread: place of a cell that is
    no Python -> what is wrong with it.
    """
    writer = OutputWriter(notebook)
    verdicts: list[CellVerdict] = []
    flags: list[str] = []
    ordered = {cell.index: cell for cell in order.cells}
    problem = execution.problem and without_paths(execution.problem)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        asked = ordered.get(index)
        if cell.metadata.get("nbgrader", {}).get("grade"):
            writer.settle()
        if asked is not None and asked.test:
            doubts = read.get(index, ())
            verdict, doubts = _judge_test(asked, execution, judged, by_hand, doubts)
            verdict = _naming_unread(verdict, index, unread)
            verdicts.append(verdict)
            flags += [f"{asked.grade_id}: {doubt}" for doubt in doubts]
            writer.count(index)
            writer.show(index, cell_outputs(verdict))
        elif index in execution.ran:
            writer.write(index, execution.ran[index])
            if writer.is_cut(index):
                flags.append(f"cell {index + 1} showed too much, and not all of it is there")
        elif asked is not None:
            reason = problem or "the session ended before this cell"
            said = f"This cell was not run. {reason}"
            writer.show(index, [error_output("NotExecuted", reason, [said])])
    return GradedExecution(
        writer.finish(),
        tuple(verdicts),
        execution.seconds,
        execution.cpu_seconds,
        execution.peak_memory,
        execution.problem,
        tuple(flags),
        execution.files,
        execution.repeated,
    )


def _judge_test(
    asked: CellOrder,
    execution: Execution,
    judged: Judged,
    by_hand: Mapping[str, Sequence[ByHand]],
    read: Sequence[str],
) -> tuple[CellVerdict, list[str]]:
    """The verdict on one sealed test, and what a person should look at."""
    test = asked.grade_id or ""
    record, checks = execution.tests.get(asked.index), judged.get(test, [])
    ready_made, seen = seen_by_hand(by_hand.get(test, ()), record)
    problem = execution.problem and without_paths(execution.problem)
    verdict = judge_cell(test, record, checks, problem, ready_made)
    # where points are at stake; a cell that failed has been explained already
    looks = [*seen, *read] if verdict.passed else []
    return verdict, looks + [f"{check.label}: {check.flag}" for check in checks if check.flag]


def _naming_unread(verdict: CellVerdict, index: int, unread: Mapping[int, str]) -> CellVerdict:
    """A name that is missing because an earlier cell is no Python: that cell is what to mend. By
    its source alone, so that hidden checks may say it, too."""
    broken = next((place for place in unread if place < index), None)
    if broken is None:
        return verdict
    said = f"cell {broken + 1} is not Python, and nothing in it ran ({unread[broken]})"
    checks = [
        replace(check, reason=said, safe=said)
        if not check.ok and "NameError" in f"{check.reason} {check.safe}"
        else check
        for check in verdict.checks
    ]
    return replace(verdict, checks=tuple(checks))


def seen_by_hand(
    hands: Sequence[ByHand], record: TestRecord | None
) -> tuple[list[CheckResult], list[str]]:
    """What is to be said about a test's by-hand tasks: checks that fail because of what was seen at
    work, and doubts."""
    if not hands or record is None:
        return [], []
    failed, doubts = told(record.used, hands)
    # The sentence names nothing but what the instructor's cell does, so a hidden check says it too.
    checks = [
        CheckResult(
            f"{one.target} is written by hand",
            False,
            one.hidden,
            one.reason,
            safe=one.reason,
            detail=one.reason,
        )
        for one in failed
    ]
    return checks, doubts


def judge_cell(
    grade_id: str,
    record: TestRecord | None,
    judged: list[CheckResult],
    problem: str | None,
    more: Sequence[CheckResult] = (),
) -> CellVerdict:
    """The verdict on one sealed test cell: passed when it ran to its end and every check holds,
    `more` included."""
    if record is None:
        said = f"This test was not run. {problem or ''}".strip()
        return CellVerdict(grade_id, False, problem=said)
    missing = next((check for check in judged if not check.reached), None)
    trouble, safe, detail = _trouble(
        record, hidden=missing.hidden if missing else any(check.hidden for check in judged)
    )
    checks, named = list(more), _named(judged)
    for check in judged:
        if check is missing:
            reason = trouble or "no answer came for this check"
            check = replace(check, reason=reason, safe=safe or reason, detail=detail or reason)
        if check.mistake and check is not named:
            detail = f"{check.detail} → {check.mistake}"
            check = replace(check, mistake=None, see=None, detail=detail)
        checks.append(check)
    ran_through = record.outcome == "completed" and len(record.answers) == len(judged)
    passed = ran_through and bool(judged) and all(check.ok for check in checks)
    unexplained = not passed and all(check.ok for check in checks)
    why = (trouble or "The test did not run as it should.") if unexplained else None
    return CellVerdict(grade_id, passed, tuple(checks), why)


def _named(judged: Sequence[CheckResult]) -> CheckResult | None:
    """The check whose mistake is told: the first that failed and has one.

    What later checks would say is often a consequence of the first mistake, and then untrue of the
    code. Of the hidden ones only the first that failed may say anything, since each mistake tells
    bits of what a hidden test looked like.
    """
    failed = [check for check in judged if check.reached and not check.ok]
    hidden = [check for check in failed if check.hidden][:1]
    visible = [check for check in failed if not check.hidden]
    return next((check for check in [*visible, *hidden] if check.mistake), None)


def _trouble(record: TestRecord, hidden: bool) -> tuple[str | None, str | None, str]:
    """Why a test stopped early: what a student may read, what may be said even where a session has
    seen hidden tests, and what the instructor may."""
    if record.outcome == "timed out":
        return (TOO_LONG,) * 3
    if record.outcome == "died":
        return ("it crashed Python",) * 3
    if record.outcome != "raised":
        return None, None, ""
    error = record.error or {}
    name, text, trace = (_line(error.get(part)) for part in ("ename", "evalue", "traceback"))
    detail = f"your code raised {name}: {text}\n{trace}".strip()
    safe = f"your code raised {name if name in _TELLABLE else 'an exception'}"
    if hidden:
        return safe, safe, detail
    # The course's own complaint (by_hand) is a sentence already.
    full = text if name == "CheckFailed" else f"your code raised {name}: {text}".strip()
    return full, safe, detail


def _line(value: object) -> str:
    return (value if isinstance(value, str) else "").encode("utf-8", "replace").decode()


def cell_outputs(verdict: CellVerdict) -> list[NotebookNode]:
    """What a sealed test cell shows: a tick for each check that holds, and an error that explains
    each that does not."""
    ticks = "".join(f"✓ {check.label}\n" for check in verdict.checks if check.ok)
    outputs = [stream_output(ticks)] if ticks else []
    if verdict.passed:
        return outputs
    lines: list[str] = []
    plain: list[str] = []
    for check in verdict.failed:
        if not check.is_passed_over:
            lines += [f"\x1b[1;31m✗ {check.label}\x1b[0m", *explained(check)]
            plain += [check.label, *explained(check)]
    missing = sum(check.is_passed_over for check in verdict.failed)
    if missing:
        sentence = f"{missing} more {'check was' if missing == 1 else 'checks were'} not reached."
        lines, plain = [*lines, sentence], [*plain, sentence]
    if verdict.problem:
        lines, plain = [*lines, verdict.problem], [*plain, verdict.problem]
    return [*outputs, error_output("CheckFailed", "\n".join(plain), lines)]
