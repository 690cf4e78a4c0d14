"""The end of a run: a table for the person, a JSON record for the machine."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nbseal.autograde.results import CellResult, SubmissionResult
from nbseal.errors import CourseError
from nbseal.files import write_whole
from nbseal.notebook.text import plain

SHOWN = 15  # rows of the list of submissions that need a look


@dataclass(frozen=True)
class RunSummary:
    """All that a run did."""

    assignment: str
    results: list[SubmissionResult]
    already_graded: list[str]
    seconds: float
    workers: int
    cpu_seconds: float  # of this process alone: reading, judging's messages, writing
    interrupted: bool = False

    @property
    def graded(self) -> list[SubmissionResult]:
        return [result for result in self.results if result.status == "graded"]

    @property
    def changed(self) -> list[SubmissionResult]:
        """Whose score an earlier run gave otherwise."""
        return [result for result in self.results if result.is_changed]

    @property
    def failed(self) -> list[SubmissionResult]:
        return [result for result in self.results if result.status == "failed"]

    def as_dict(self) -> dict:
        return {
            "assignment": self.assignment,
            "graded": len(self.graded),
            "failed": len(self.failed),
            "already_graded": self.already_graded,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "workers": self.workers,
            "changed": sorted(result.student for result in self.changed),
            "submissions": [
                result.as_dict()
                for result in sorted(self.results, key=lambda result: result.student)
            ],
        }


def write_record(summary: RunSummary, path: Path) -> None:
    """Write `--json`: whole or not at all; into what is there and is no file, such as a pipe."""
    text = json.dumps(summary.as_dict(), indent=1) + "\n"
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        write_whole(path.resolve(), text)  # a link stays a link
    except OSError as error:
        raise CourseError(
            f"the record {path} could not be written ({error.strerror}): the scores are in the "
            "gradebook."
        ) from None


def print_summary(summary: RunSummary, console: Console) -> None:
    """Counts, scores, how each task went, and whom to look at."""
    counts = [f"{len(summary.graded)} graded", f"{len(summary.failed)} failed"]
    if summary.already_graded:
        counts.append(f"{len(summary.already_graded)} already graded or excluded")
    rate = f", {summary.seconds / len(summary.results):.2f} s each" if summary.results else ""
    console.print(
        f"{summary.assignment}: {', '.join(counts)} in {summary.seconds:.1f} s{rate}",
        markup=False,
        highlight=False,
    )
    if summary.graded:
        scores = [result.score for result in summary.graded]
        console.print(
            f"Scores: mean {mean(scores):.2f}, median {median(scores):.2f}, lowest "
            f"{min(scores):g}, highest "
            f"{max(scores):g} of {summary.graded[0].max_score:g}",
            markup=False,
            highlight=False,
        )
        console.print(_tasks(summary.graded))
    repaired = sum(
        any(notebook.repairs for notebook in result.notebooks) for result in summary.graded
    )
    if repaired:
        console.print(
            f"Repaired before grading: {repaired}; the feedback and --json FILE say what was done.",
            markup=False,
            highlight=False,
        )
    regraded = [result for result in summary.results if result.before is not None]
    if regraded:
        console.print(
            f"Graded before: {len(regraded)}, with another score: {len(summary.changed)}",
            markup=False,
            highlight=False,
        )
    if summary.changed:
        console.print(_changes(summary.changed))
    look = [
        (result.student, reason) for result in summary.results for reason in result.needs_a_look
    ]
    if look:
        console.print(_look(look))


def _tasks(graded: list[SubmissionResult]) -> Table:
    """One row per cell that tests grade: who passed, and the mistake most often named."""
    cells: dict[str, list[CellResult]] = {}
    for result in graded:
        for notebook in result.notebooks:
            for cell in notebook.cells:
                cells.setdefault(f"{notebook.name}/{cell.grade_id}", []).append(cell)
    table = Table("cell", "passed", "mean", "most frequent mistake", box=None, pad_edge=False)
    for name, rows in cells.items():
        if rows[0].by_hand:
            table.add_row(Text(plain(name)), "by hand", *_by_hand(rows))
            continue
        scored = [(row, row.score) for row in rows if row.score is not None]
        if not scored:
            table.add_row(Text(plain(name)), "not graded", "", "")
            continue
        passed = sum(score >= row.max_score for row, score in scored)
        mistakes = Counter(mistake for row, _ in scored for mistake in row.mistakes)
        named = "{1} x {0}".format(*mistakes.most_common(1)[0]) if mistakes else ""
        table.add_row(
            Text(plain(name)),
            f"{passed / len(scored):.0%}",
            f"{mean(score for _, score in scored):.2g} of {rows[0].max_score:g}",
            Text(plain(named)),
        )
    return table


def _by_hand(rows: list[CellResult]) -> tuple[str, str]:
    """The mean of what people have given in a cell, and how many it is still to be given to."""
    given = [row.score for row in rows if row.score is not None and not row.is_empty]
    waiting, empty = sum(row.score is None for row in rows), sum(row.is_empty for row in rows)
    mean_of = f"{mean(given):.2g} of {rows[0].max_score:g}" if given else ""
    counts = ((waiting, "to be graded by hand"), (empty, "left empty"))
    return mean_of, ", ".join(f"{count} {what}" for count, what in counts if count)


def _changes(changed: list[SubmissionResult]) -> Table:
    """Whose score changed, and how."""
    table = Table("changed", "before", "after", box=None, pad_edge=False)
    for result in sorted(changed, key=lambda result: result.student)[:SHOWN]:
        table.add_row(Text(plain(result.student)), f"{result.before:g}", f"{result.score:g}")
    if len(changed) > SHOWN:
        table.add_row("...", "", f"and {len(changed) - SHOWN} more: --json FILE lists all")
    return table


def _look(look: list[tuple[str, str]]) -> Table:
    table = Table("needs a look", "why", box=None, pad_edge=False)
    for student, reason in look[:SHOWN]:
        table.add_row(Text(plain(student)), Text(plain(reason)))
    if len(look) > SHOWN:
        table.add_row("...", f"and {len(look) - SHOWN} more: --json FILE lists all")
    return table
