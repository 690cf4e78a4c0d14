"""The mutants of a declared task, asked by its own probes. A mutant is a mistake without a
sentence: either a probe refuses it, or nobody will."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nbseal.authoring.mutants.branches import NOTED
from nbseal.authoring.mutants.making import Cell
from nbseal.authoring.task_files import Declared
from nbseal.checks import declared
from nbseal.checks.declared import PUBLIC, Known, Wanted
from nbseal.errors import CourseError

LEAST_SECONDS, TIMES_SLOWER = 0.5, 10.0  # what a probe may take, beside the reference solution
KEY = "mutants"  # that probes are drawn again with


@dataclass
class Found:
    """What the probes of a task said of its mutants, which go by their names."""

    task: str
    tried: int = 0
    unnoticed: list[str] = field(default_factory=list)  # what is asked when grading accepts them
    unseen: list[str] = field(default_factory=list)  # a student sees nothing but ticks
    told: int = 0
    # sentence -> those that are told it, and answer otherwise than that mistake to drawn inputs
    untrue: dict[str, list[str]] = field(default_factory=dict)


def study(one: Declared) -> Found:
    """Ask all mutants of a task. Raises CourseError as asking the reference does."""
    visible, hidden = one.asked(), declared.wanted(one.task, one.reference, KEY, True, "hidden")
    began = time.process_time()
    cell = Cell(one.name, one.solved.cells[one.name].marked)
    kinds = {name: _kinds(one, source) for name, source in cell.probes()}
    took = (time.process_time() - began) / max(1, len(kinds))
    one.task.seconds = min(one.task.seconds, max(LEAST_SECONDS, TIMES_SLOWER * took))
    found, mutants = Found(one.name), cell.mutants(kinds)
    hiding = {mutant.beside for mutant in mutants}
    for mutant in sorted(mutants, key=lambda mutant: mutant.name not in hiding):
        if mutant.beside in found.unnoticed:  # what hides it is mended first
            continue
        found.tried += 1
        try:
            names = one.solved.with_cell(mutant.source, mutant.name)
        except CourseError:  # it does not even run
            continue
        told, seen = _told(one, names, *visible)
        if not seen and not _answers(one, names, hidden, KEY, "hidden"):
            found.unnoticed.append(mutant.name)
        elif not seen:
            found.unseen.append(mutant.name)
        if told and told.sure:
            found.told += 1
            if not _is_true(one, names, told.sentence, hidden):
                found.untrue.setdefault(told.sentence, []).append(mutant.name)
    return found


def _kinds(one: Declared, source: str) -> dict[str, frozenset[str]]:
    """What a function works with: the reference, made to note it, is asked."""
    names = one.solved.with_cell(source, f"{one.name}, made to say what it works with")
    declared.ask(one.task, names, core_only=True)
    return {name: frozenset(kinds) for name, kinds in names[NOTED].items()}


def _answers(
    one: Declared, names: Mapping[str, Any], want: Mapping[str, Wanted], key: str, part: str
) -> dict[str, Any]:
    """What is answered where that is wrong."""
    given = dict(declared.ask(one.task, names, key, core_only=True, part=part))
    core = {label: want[label] for label in given}
    return {
        one.label: given[one.label] for one in declared.judge(core, given.items()) if not one.ok
    }


def _told(
    one: Declared, names: Mapping[str, Any], want: Mapping[str, Wanted], known: list[Known]
) -> tuple[declared.Diagnosis | None, bool]:
    """What a student would be told, and whether a check fails at all."""
    first = _first_wrong(one, names, want)
    if first is None:
        return None, False
    label, answer = first
    likely = (mistake.answers[label] for mistake in known if label in mistake.answers)
    if not any(declared.is_same(answer, other, want[label]) for other in likely):
        return None, True  # most mutants: the other probes need not be asked
    given = declared.ask(one.task, names, PUBLIC, core_only=True)
    core = {label: want[label] for label, _ in given}
    return declared.diagnose(core, given, declared.judge(core, given), known), True


def _first_wrong(
    one: Declared, names: Mapping[str, Any], want: Mapping[str, Wanted]
) -> tuple[str, Any] | None:
    with declared.drawn_with(PUBLIC):
        for probe in declared.chosen(one.task, core_only=True):
            answer = probe.answer(names, seconds=one.task.seconds)
            [result] = declared.judge({probe.label: want[probe.label]}, [(probe.label, answer)])
            if not result.ok:
                return probe.label, answer
    return None


def _is_true(
    one: Declared, names: Mapping[str, Any], sentence: str, want: Mapping[str, Wanted]
) -> bool:
    """Whether a mutant is wrong as a mistake of that sentence is, on inputs drawn again too."""
    wrong = _answers(one, names, want, KEY, "hidden")
    return any(
        wrong.keys() == other.keys()
        and all(
            declared.is_same(
                declared.thinned(wrong[label]), declared.thinned(other[label]), want[label]
            )
            for label in wrong
        )
        for mistake, space in zip(one.mistakes, one.spaces)
        if mistake.sentence == sentence
        for other in [_answers(one, space, want, KEY, "hidden")]
    )
