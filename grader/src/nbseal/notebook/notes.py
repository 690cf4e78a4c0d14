"""Our own notes in a notebook: what grading found, and what repairing it changed."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbseal.notebook.marks import grade_id
from nbseal.records import CellVerdict, CheckResult

OURS = "nbseal"  # the key of this program's notes in a notebook's metadata and in that of its cells


SECONDS = "nbseal_seconds"  # the key, in its first code cell, of how long a notebook ran

# What a cell's note keeps of a check. Not the detail: it may quote a hidden test, and has its place
# in the cell's output, which feedback leaves out.
KEPT = ("label", "ok", "hidden", "reason", "mistake", "see", "reached", "safe", "answer", "number")
ARROW = "→"  # before a named mistake


def explained(check: CheckResult) -> list[str]:
    """The lines under a failed check's label: what differs, and the mistake if it was recognised.
    The one place that writes them for the engine's verdicts."""
    lines = [f"  {line}" for line in check.reason.splitlines()]
    see = f" (see {check.see[0]})" if check.see else ""
    return lines + ([f"  {ARROW} {check.mistake}{see}"] if check.mistake else [])


def note_verdict(cell: NotebookNode, verdict: CellVerdict) -> None:
    """Keep a verdict with its cell, as data: reports, tables and feedback are made of it."""
    checks = [{name: getattr(check, name) for name in KEPT} for check in verdict.checks]
    cell.metadata[OURS] = NotebookNode(
        passed=verdict.passed, problem=verdict.problem, checks=[NotebookNode(c) for c in checks]
    )


def verdict_of(cell: NotebookNode) -> CellVerdict | None:
    """The verdict that was kept with a cell; None for a cell that the engine did not judge."""
    noted = cell.metadata.get(OURS)
    try:
        checks = tuple(CheckResult(**_known(check)) for check in noted["checks"])
        return CellVerdict(grade_id(cell) or "", bool(noted["passed"]), checks, noted["problem"])
    except (TypeError, KeyError, AttributeError):
        return None


def _known(check: dict) -> dict:
    return {name: value for name, value in check.items() if name in KEPT}


def failed_of(cell: NotebookNode) -> list[CheckResult]:
    """What failed in a graded cell, in its order: checks, or the one sentence on why there are
    none."""
    verdict = verdict_of(cell)
    if verdict is None:
        return [_said(cell)]
    problem = CheckResult(verdict.problem or "no reason given", ok=False)
    return list(verdict.failed) or [problem]


def _said(cell: NotebookNode) -> CheckResult:
    """What a test said that ran outside of the engine, where nothing is kept but its error:
    `expect` prints the label, then what differs, then the mistake."""
    errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
    if not errors:
        return CheckResult("no reason given", ok=False)
    lines = [line.strip() for line in errors[-1].evalue.splitlines() if line.strip()]
    mistakes = [line.removeprefix(ARROW).strip() for line in lines if line.startswith(ARROW)]
    reason = "\n".join(line for line in lines[1:] if not line.startswith(ARROW))
    label = lines[0] if lines else errors[-1].ename
    return CheckResult(label, False, False, reason, next(iter(mistakes), None))


def forget_claims(nb: NotebookNode) -> None:
    """Drop notes in a submission that only this program writes."""
    nb.metadata.pop(OURS, None)
    for cell in nb.cells:
        cell.metadata.pop(OURS, None)
        cell.metadata.pop(SECONDS, None)


RECORD = "nbseal_repair"  # the key of the record in a notebook's metadata


def record_of(nb: NotebookNode) -> dict:
    """The record in a notebook that `repaired` or `unreadable` made; empty for one that needed
    nothing."""
    return nb.metadata.get(RECORD) or {"notes": [], "doubts": [], "unreadable": None}


def add_doubts(nb: NotebookNode, doubts: list[str]) -> None:
    """Have a person look at a submission, for reasons found outside of its notebook."""
    if doubts:
        record = record_of(nb)
        nb.metadata[RECORD] = record | {"doubts": [*record["doubts"], *doubts]}


def says_unreadable(path: Path) -> bool:
    """Whether an autograded notebook only says that nothing could be graded."""
    content = path.read_bytes()
    return RECORD.encode() in content and bool(
        record_of(nbformat.reads(content.decode("utf-8"), as_version=4))["unreadable"]
    )


def _without_record(nb: NotebookNode) -> NotebookNode:
    nb.metadata.pop(RECORD, None)
    return nb
