"""Declared tasks on both sides: what a session answers to their probes, and what the answer key
expects and says.

Visible probes are asked with the public key that notebooks draw with, so that what mistakes answer
is known from tasks.json. Hidden ones are asked with the secret key of the cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbseal import checks
from nbseal.cells.declared import FILE


@dataclass(frozen=True)
class Asked:
    """One probe: what is wanted, and of a visible one the known mistakes of its task, and the call
    as a student would write it."""

    label: str
    wanted: Any  # declared.Wanted
    task: str
    known: Sequence[Any] = ()  # declared.Known
    call: str | None = None


def label_of(label: str, hidden: bool) -> str:
    """How a check is called that asks a probe."""
    return f"{label} (new inputs)" if hidden else label


def answers(
    checks: Any, task: Any, hidden: bool, namespace: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """What a notebook's code answers. checks: the session's private copy of nbseal.checks."""
    declared = checks.declared
    part, key = ("hidden", checks.current_key()) if hidden else ("visible", declared.PUBLIC)
    for label, answer in declared.ask(task, namespace, key, core_only=True, part=part):
        yield label_of(label, hidden), answer


def expected_of(name: str, probes: str, hidden: bool, namespace: Mapping[str, Any]) -> list[Asked]:
    """What the reference answers to the same. Its tasks.json lies in the working folder."""
    declared = checks.declared
    part, key = ("hidden", checks.current_key()) if hidden else ("visible", declared.PUBLIC)
    task = declared.load(probes)
    checks.refuse_unknown(task.by_hand)
    wanted = declared.wanted(task, namespace, key, core_only=True, part=part)
    known = _known_readings(task) if hidden else declared.read_task(Path(FILE), name).known
    group = label_of(name, hidden)
    calls = {} if hidden else _calls(task)
    return [
        Asked(label_of(label, hidden), one, group, known, calls.get(label))
        for label, one in wanted.items()
    ]


def _calls(task: Any) -> dict[str, str]:
    with checks.declared.drawn_with(checks.declared.PUBLIC):
        return {probe.label: probe.shown() for probe in task.probes if probe.shown}


def _known_readings(task: Any) -> tuple[Any, ...]:
    """What mistakes answer to hidden questions without drawn inputs: the same under every key."""
    declared = checks.declared
    if not Path(declared.GRADED).is_file():
        return ()
    fixed = {probe.label for probe in task.probes if probe.hidden and not probe.drawn}
    found = []
    for one in declared.read_task(Path(declared.GRADED), task.name).known:
        if answers := {k: v for k, v in one.answers.items() if k in fixed}:
            renamed = {label_of(label, True): value for label, value in answers.items()}
            found.append(declared.Known(one.sentence, renamed, one.see))
    return tuple(found)


def judged(asked: Asked, answer: Any, beside: Callable[[], Iterable[tuple[Asked, Any]]]) -> dict:
    """Compare an answer; returns fields of a CheckResult. The first wrong answer of a task names
    the mistake that explains all of them best. beside: tells the visible probes of the same task,
    with their answers."""
    declared = checks.declared
    [result] = declared.judge({asked.label: asked.wanted}, [(asked.label, answer)])
    found = {"ok": result.ok, "reason": "", "flag": result.flag}
    if not result.ok:
        said = declared.details(result, asked.call, answer, asked.wanted.value)
        found["reason"] = "\n".join(said)
    criterion = asked.wanted.value
    number = criterion.number(answer) if isinstance(criterion, checks.Criterion) else None
    if number is not None and math.isfinite(number):
        found["number"] = number
    if result.ok or not asked.known:
        return found
    all_of_it = list(beside())
    wanted = {one.label: one.wanted for one, _ in all_of_it}
    given = [(one.label, said) for one, said in all_of_it]
    results = declared.judge(wanted, given)
    first = next(one.label for one in results if not one.ok)
    told = declared.diagnose(wanted, given, results, asked.known) if first == asked.label else None
    if told:
        found |= {"mistake": told.sentence, "see": told.see and [told.see.title, told.see.web]}
    return found
