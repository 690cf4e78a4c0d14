"""Proofs of a task file: every mistake is refused and named by its own sentence and no other, every
right variant is accepted, and every probe decides something."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbseal.authoring.task_files import Declared
from nbseal.cells.rules import Violation
from nbseal.checks import declared
from nbseal.checks.declared import PUBLIC, Known, Wanted
from nbseal.errors import CourseError

LAX = 0.02  # a tolerance above which a probe decides nothing
MOST_SECONDS = 30.0  # of processor time for one task and key, where no probe may take longer


@dataclass(frozen=True)
class Asked:
    """What one part of a task wants with one key, and what its mistakes answer."""

    key: str
    part: str
    want: Mapping[str, Wanted]
    known: Sequence[Known]

    def wrong(self, one: Declared, names: Mapping[str, Any]) -> list[str]:
        """What an implementation is told: the first core probe that it fails, and why."""
        answers = declared.ask(one.task, names, self.key, core_only=True, part=self.part)
        core = {label: want for label, want in self.want.items() if want.core}
        failing = [result for result in declared.judge(core, answers) if not result.ok]
        return [f"{result.label}: {result.reason}" for result in failing[:1]]


def prove(one: Declared, keys: int = 1) -> Iterator[Violation]:
    """What is wrong with a task file; nothing for one that holds. keys: how many secret keys its
    right variants are asked with."""
    began = time.process_time()
    asked = [Asked(PUBLIC, "visible", *one.asked())]
    for number in range(keys):
        key = f"prove {number}"
        asked.append(Asked(key, "hidden", *one.asked(key, "hidden")))
    yield from _mistakes(one, *asked[:2])
    yield from _right(one, asked)
    yield from _lax(one, asked[0])
    spent, most = time.process_time() - began, max(MOST_SECONDS, one.task.seconds)
    if spent > most * max(1, keys):
        yield Violation(
            one.name,
            "time",
            f"its proof takes {spent:.0f} s of processor time, more than {most:g} s a key",
            "ask with smaller inputs",
        )


def _mistakes(one: Declared, visible: Asked, hidden: Asked) -> Iterator[Violation]:
    for number, mistake in enumerate(one.mistakes):
        seen = visible if visible.known[number].answers else hidden
        mine = seen.known[number]
        if not mine.answers:
            yield Violation(
                one.name,
                "refused",
                f"no probe refuses the mistake {mistake.sentence!r}",
                "add a probe that parts it from the solution, or take it out",
            )
            continue
        told = _told(one, seen, number)
        others = [told.sentence, *told.also] if told else []
        if others == [mistake.sentence]:
            continue
        others = [sentence for sentence in others if sentence != mistake.sentence]
        yield Violation(
            one.name,
            "named",
            f"the mistake {mistake.sentence!r} is told {others or 'nothing'}"
            + _parting(visible, hidden, number, others),
            "add a probe that parts them, or give both one sentence",
        )


def _told(one: Declared, seen: Asked, number: int) -> declared.Diagnosis | None:
    core = {label: want for label, want in seen.want.items() if want.core}
    answers = declared.ask(one.task, one.spaces[number], seen.key, core_only=True, part=seen.part)
    return declared.diagnose(core, answers, declared.judge(core, answers), seen.known)


def _parting(visible: Asked, hidden: Asked, number: int, others: list[str]) -> str:
    """The hidden probe that parts a mistake from another with which it coincides."""
    for k, other in enumerate(visible.known):
        if other.sentence not in others:
            continue
        mine, theirs = hidden.known[number].answers, hidden.known[k].answers
        for label in hidden.want:
            if (label in mine) != (label in theirs):
                return f"; {label!r}, drawn again, parts them"
    return ""


def _right(one: Declared, asked: list[Asked]) -> Iterator[Violation]:
    spaces = {"the solution": one.reference}
    for title, source in one.variants.items():
        try:
            spaces[title] = one.solved.with_cell(source, title)
        except CourseError as error:
            yield Violation(one.name, "right", str(error), "mend the variant")
    for title, names in spaces.items():
        for some in asked:
            if wrong := some.wrong(one, names):
                again = "" if some.key == PUBLIC else f" with the key {some.key!r}"
                yield Violation(
                    one.name,
                    "right",
                    f"{title!r} is refused{again}: {wrong[0]}",
                    "mend the probe, or give it a tolerance, if that answer is right",
                )
                break


def _lax(one: Declared, visible: Asked) -> Iterator[Violation]:
    given = {probe.label for probe in one.task.probes if probe.tolerance is not None}
    for label, want in visible.want.items():
        parts = want.tolerance if isinstance(want.tolerance, dict) else {label: want.tolerance}
        worst = max(parts.values(), default=0.0)
        if want.core and label not in given and worst > LAX:
            yield Violation(
                one.name,
                "decides",
                f"rounding may move the answer to {label!r} by {worst:.1%}, so it decides nothing",
                "ask with numbers that cancel less",
            )
