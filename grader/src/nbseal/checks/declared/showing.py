"""What a check shows: all that was tried, the call, what was wanted, and the mistake; as text and
as HTML."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..arrays import is_array, is_tensor
from ..criteria import Criterion
from .asking import is_raised
from .judging import Diagnosis, Result, Wanted
from .tasks import Task

SHOWN = 30  # numbers of a tensor that are written out
TICK, CROSS = "✓", "✗"


@dataclass(frozen=True)
class Report:
    """The outcome of one check."""

    title: str
    points: float
    task: Task
    answers: Mapping[str, Any]
    wanted: Mapping[str, Wanted]
    results: Sequence[Result]
    diagnosis: Diagnosis | None
    advice: Sequence[str]
    is_open: bool = False
    hidden: bool = False

    @property
    def core(self) -> list[Result]:
        return [result for result in self.results if result.core]

    @property
    def failing(self) -> list[Result]:
        return [result for result in self.core if not result.ok]

    @property
    def ok(self) -> bool:
        return not self.failing

    def headline(self) -> str:
        """In one line."""
        name, count = self.task.name, len(self.core)
        if self.is_open:
            return f"{name}: not written yet"
        if self.ok:
            return f"{name}: all {count} checks pass"
        first = self.failing[0]
        plain = f"wrong at {first.label!r}, on new inputs" if self.hidden else first.reason
        told = self.diagnosis.sentence if self.diagnosis else plain
        return f"{name}: {told}"

    def ending(self) -> str:
        if not self.ok:
            return ""
        if any(probe.hidden for probe in self.task.probes):
            return f"{self.title}: all right so far; your reading is judged when it is graded"
        worth = f", {self.points:g} point{'s' * (self.points != 1)}" if self.points else ""
        return f"{self.title}: done{worth}"

    # ---- as text --------------------------------------------------------------------------------

    def __str__(self) -> str:
        if self.is_open:
            return self.headline()
        passed = len(self.core) - len(self.failing)
        lines = [f"{self.task.name}: {passed} of {len(self.core)} checks pass"]
        for result in self.core:
            lines.append(f"  {TICK if result.ok else CROSS} {result.label}")
            if not result.ok and not self.hidden:
                lines += [f"      {line}" for line in self._details(result)]
        if self.diagnosis:
            lines += [f"  → {self.diagnosis.sentence}{self._see()}"]
            lines += [f"    (or: {other})" for other in self.diagnosis.also[:2]]
        lines += [f"  also worth knowing: {sentence}" for sentence in self.advice]
        return "\n".join([*lines, *filter(None, [self.ending()])])

    def _details(self, result: Result) -> list[str]:
        want = self.wanted[result.label].value
        return details(result, self._call(result), self.answers.get(result.label), want)

    def _call(self, result: Result) -> str | None:
        shown = next(p.shown for p in self.task.probes if p.label == result.label)
        return shown() if shown else None

    def _see(self) -> str:
        see = self.diagnosis.see if self.diagnosis else None
        return f" (see {see.title}: {see.web if _in_colab() else see.path})" if see else ""

    def _link(self) -> str:
        see = self.diagnosis.see if self.diagnosis else None
        place = (see.web if _in_colab() else see.path) if see else ""
        return f" <a href='{escape(place)}'>{escape(see.title)}</a>" if see else ""

    # ---- as HTML --------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        if self.is_open:
            return f"<p>{escape(self.headline())}</p>"
        good = [f"<div>{TICK} {escape(r.label)}</div>" for r in self.core if r.ok]
        count = f"{len(good)} of {len(self.core)} checks pass"
        ticks = f"<details><summary>{TICK} {count}</summary>{''.join(good)}</details>"
        mistake = escape(self.diagnosis.sentence) if self.diagnosis else ""
        named = f"<p><b>→ {mistake}</b>{self._link()}</p>" if mistake else ""
        told = [f"also worth knowing: {escape(sentence)}" for sentence in self.advice]
        told += [f"<b>{escape(self.ending())}</b>"] if self.ok else []
        rows = "".join(self._row(result, k == 0) for k, result in enumerate(self.failing))
        rest = "".join(f"<p>{line}</p>" for line in told)
        return f"<div><b>{escape(self.task.name)}</b>{ticks}{named}{rows}{rest}</div>"

    def _row(self, result: Result, is_first: bool) -> str:
        if self.hidden:  # what it was asked with stays hidden
            return f"<div>{CROSS} <b>{escape(result.label)}</b></div>"
        want = self.wanted[result.label].value
        answer, want = differing(result, self.answers.get(result.label), want)
        call = self._call(result)
        body = f"<code>{escape(call)}</code>" if call else ""
        if result.part is not None:
            body += f"<div>{escape(str(result.part))}</div>"
        if is_raised(answer) or is_raised(want):
            body += f"<div>{escape(result.reason)}</div>"
        else:
            body += (
                f"<table><tr><td>expected</td><td>{_cells(want, want)}</td></tr>"
                f"<tr><td>got</td><td>{_cells(answer, want)}</td></tr></table>"
            )
            body += f"<div>{escape(result.reason)}</div>" if _is_long(answer) else ""
        summary = f"<summary>{CROSS} <b>{escape(result.label)}</b></summary>"
        return f"<details{' open' * is_first}>{summary}{body}</details>"


def _in_colab() -> bool:
    """Where no path leads from a notebook to another."""
    return "google.colab" in sys.modules


def details(result: Result, call: str | None, answer: Any, want: Any) -> list[str]:
    """What is told of a wrong answer, line by line. call: as a student would write it."""
    lines = [f"called    {call}"] if call else []
    if result.part is not None:
        lines.append(f"of this   {result.part}")
    answer, want = differing(result, answer, want)
    if is_raised(answer) or is_raised(want):
        return [*lines, result.reason]
    lines += [f"expected  {value_text(want)}", f"got       {value_text(answer)}"]
    return [*lines, result.reason] if result.reason and _is_long(answer) else lines


def differing(result: Result, answer: Any, want: Any) -> tuple[Any, Any]:
    """Both; of an answer of several parts, of the part that differs."""
    several = result.part is not None and isinstance(answer, Mapping)
    return (answer[result.part], want[result.part]) if several else (answer, want)


def value_text(value: Any) -> str:
    """A value in one line, with four digits of each number."""
    if isinstance(value, Criterion):
        return value.describes
    if is_array(value):
        return f"{tuple(value.shape)} numbers" if _is_long(value) else _array_text(value)
    if isinstance(value, Mapping):
        items = (f"{key!r}: {value_text(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (tuple, list)):
        ends = "()" if isinstance(value, tuple) else "[]"
        return f"{ends[0]}{', '.join(map(value_text, value))}{ends[1]}"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _array_text(value: Any) -> str:
    return f"{'tensor' if is_tensor(value) else 'array'}({value_text(value.tolist())})"


def _is_long(value: Any) -> bool:
    return is_array(value) and int(value.numel() if is_tensor(value) else value.size) > SHOWN


def _cells(value: Any, want: Any) -> str:
    """A value as HTML; numbers that differ from what was wanted are marked."""
    several = isinstance(value, (tuple, list)) and isinstance(want, (tuple, list))
    if several and len(value) == len(want):
        return " ".join(_cells(one, other) for one, other in zip(value, want))
    if not is_array(value) or _is_long(value) or len(value.shape) > 2 or 0 in value.shape:
        return f"<code>{escape(value_text(value))}</code>"
    rows = value.reshape(-1, value.shape[-1] if len(value.shape) else 1).tolist()
    same = is_array(want) and tuple(want.shape) == tuple(value.shape)
    others = want.reshape(len(rows), -1).tolist() if same else rows
    cells = (f"<tr>{''.join(map(_cell, row, other))}</tr>" for row, other in zip(rows, others))
    return f"<table>{''.join(cells)}</table>"


def _cell(number: Any, want: Any) -> str:
    near = number == want or abs(number - want) <= 1e-3 * max(1.0, abs(want))
    marked = "" if near else " style='background:#ffd9c7;color:black;font-weight:bold'"
    return f"<td{marked}>{escape(value_text(number))}</td>"
