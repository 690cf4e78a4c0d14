"""What is wanted of each probe, whether an answer is that, and which mistake it is. Pure but for
`wanted`, which asks the reference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..answers import kind_of
from ..arrays import is_array
from ..comparing import distance, mismatch
from ..criteria import Criterion
from .asking import DERIVED, PUBLIC, How, Namespace, Probe, drawn_with, is_raised, likeness
from .tasks import Section, Task, ask, chosen

NARROW = 1e-4  # of the size of the numbers: what a right answer may be off at least
ROUNDINGS = 24  # times what one rounding of each input does to the reference's answer
NO_GRADIENT = (
    "No gradient reaches {}: is it cut off (detach, data, item, no_grad, a new tensor of it), or "
    "not used?"
)
IN_PLACE = ("used in an in-place operation", "modified by an inplace operation")  # as torch says it
IN_PLACE_TOLD = "You change a tensor in place that gradients need: work on a new one."
THINNED = {"shape", "numbers"}  # of a large array
KEPT = 3  # numbers of an array by which a mistake is known
NEAR = 0.3  # of the tolerance: an answer that is this near to a mistake's is closer than others


@dataclass(frozen=True)
class Wanted:
    """The right answer of a probe, or a criterion. tolerance: a number, or one for each part of an
    answer that is a dict; whole numbers, truth values and texts are compared exactly. sentences:
    what is told where no mistake explains the answer."""

    value: Any
    tolerance: Any = NARROW
    core: bool = True
    sentences: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """Of one probe. part: which part of an answer differs, where it is a dict; flag: what a person
    should look at."""

    label: str
    ok: bool
    reason: str = ""
    core: bool = True
    part: Any = None
    flag: str | None = None


@dataclass(frozen=True)
class Known:
    """A mistake, compiled: what it answers to each probe that it fails."""

    sentence: str
    answers: Mapping[str, Any]
    see: Section | None = None


@dataclass(frozen=True)
class Diagnosis:
    """sure: all answers are this mistake's, not the first wrong one alone; also: sentences that
    explain as much."""

    sentence: str
    see: Section | None = None
    sure: bool = False
    also: tuple[str, ...] = ()


class BadReference(ValueError):
    """The reference solution cannot answer a probe."""


def wanted(
    task: Task,
    reference: Namespace,
    key: str = PUBLIC,
    core_only: bool = False,
    part: str = "visible",
) -> dict[str, Wanted]:
    """What is wanted of each probe that `ask` asks. Raises BadReference."""
    asked = chosen(task, core_only, part)
    with drawn_with(key):
        return {probe.label: _wanted(probe, reference, task.seconds) for probe in asked}


def _wanted(probe: Probe, reference: Namespace, seconds: float) -> Wanted:
    tolerance = NARROW if probe.tolerance is None else probe.tolerance
    if probe.wanted is not DERIVED:
        return Wanted(probe.said(), tolerance, probe.core, probe.sentences)
    plain = probe.answer(reference, How(), seconds)
    value = probe.answer(reference, How(wide=True), seconds)
    for answer in (plain, value):
        if is_raised(answer) and not probe.raises:
            raise BadReference(f"{probe.label}: the reference fails with {answer['says']}")
    if probe.tolerance is not None or is_raised(value):
        return Wanted(value, tolerance, probe.core, probe.sentences)
    others = [plain, *(probe.answer(reference, How(jiggled=draw), seconds) for draw in (1, 2))]
    if isinstance(value, dict):
        tolerances = {k: _derived(v, [other.get(k) for other in others]) for k, v in value.items()}
        return Wanted(value, tolerances, probe.core, probe.sentences)
    return Wanted(value, _derived(value, others), probe.core, probe.sentences)


def _derived(value: Any, others: Iterable[Any]) -> float:
    return max(NARROW, ROUNDINGS * max(_apart(other, value) for other in others))


def _apart(one: Any, other: Any) -> float:
    """The largest distance between numbers of two answers of the same form."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return max((_apart(a, b) for a, b in zip(one, other)), default=0.0)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return max((_apart(one[name], other[name]) for name in one if name in other), default=0.0)
    if any(value is None or isinstance(value, (bool, str)) for value in (one, other)):
        return 0.0
    found = distance(one, other)
    return found if math.isfinite(found) else 0.0


# ---- is an answer right -------------------------------------------------------------------------


def judge(want: Mapping[str, Wanted], answers: Iterable[tuple[str, Any]]) -> list[Result]:
    """One result for each probe that something is wanted of; runs nothing of the student's."""
    given = dict(answers)
    return [_judged(label, one, given) for label, one in want.items()]


def _judged(label: str, want: Wanted, answers: Mapping[str, Any]) -> Result:
    if label not in answers:
        return Result(label, False, "no answer", want.core)
    answer = answers[label]
    try:
        part, reason = difference(answer, want.value, want.tolerance)
        criterion = want.value if isinstance(want.value, Criterion) else None
        flag = criterion.flag(answer) if criterion and not reason else None
    # an answer of a form that a criterion's author did not think of
    except Exception as error:
        part, flag = None, None
        reason = f"got {kind_of(answer)}, which could not be checked ({type(error).__name__})"
    return Result(label, reason is None, reason or "", want.core, part, flag)


def difference(answer: Any, want: Any, tolerance: Any) -> tuple[Any, str | None]:
    """The part of an answer that differs (None for the whole), and how, in words; None for
    equal."""
    if isinstance(want, Criterion):
        if is_raised(answer):
            return None, raised_text(answer)
        return None, want.reason(answer)
    if is_raised(want):
        same = is_raised(answer) and answer["raised"] == want["raised"]
        return None, None if same else f"wanted an error, {want['raised']}"
    if is_raised(answer):
        return None, raised_text(answer)
    if answer is None and want is not None:
        return None, "got None: is there a `return`?"
    if not (isinstance(tolerance, Mapping) and isinstance(want, Mapping)):
        number = max(tolerance.values()) if isinstance(tolerance, Mapping) else tolerance
        return None, mismatch(answer, want, number, exact=True)
    if not isinstance(answer, Mapping) or answer.keys() != want.keys():
        return None, mismatch(answer, want, NARROW, exact=True)
    for part, value in want.items():
        if reason := mismatch(answer[part], value, tolerance[part], exact=True):
            return part, reason
    return None, None


def raised_text(answer: Mapping[str, Any]) -> str:
    place = f" ({answer['where']})" if answer.get("where") else ""
    return f"your code raised {answer.get('says') or answer['raised']}{place}"


# ---- which mistake ------------------------------------------------------------------------------


def thinned(value: Any) -> Any:
    """A value as mistakes are known by it: of a large array its shape and a few of its numbers."""
    if isinstance(value, Mapping):
        return {name: thinned(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(thinned, value))
    if not is_array(value) or (count := math.prod(value.shape)) <= KEPT:
        return value
    places = [place * (count - 1) // (KEPT - 1) for place in range(KEPT)]
    return {"shape": list(value.shape), "numbers": value.reshape(-1)[places]}


def is_same(answer: Any, other: Any, want: Wanted, share: float = 1.0) -> bool:
    """Whether an answer is, to a share of the tolerance, what a mistake answers. Both thinned."""
    tolerance = want.tolerance
    if isinstance(tolerance, Mapping):
        names = other if isinstance(other, Mapping) and not is_raised(other) else ()
        tolerance = {name: share * tolerance.get(name, NARROW) for name in names} or NARROW
    else:
        tolerance = share * tolerance
    try:
        return difference(answer, other, tolerance)[1] is None
    except Exception:  # an answer of another form than the mistake's
        return False


def diagnose(
    want: Mapping[str, Wanted],
    answers: Iterable[tuple[str, Any]],
    results: Sequence[Result],
    known: Sequence[Known],
) -> Diagnosis | None:
    """The mistake that explains the first wrong core answer and, of those, the others best; else
    what the probe itself tells of it; None where nothing does."""
    given = dict(answers)
    failing = [result.label for result in results if not result.ok and result.core]
    passing = {result.label for result in results if result.ok}
    if not failing or failing[0] not in given:
        return None
    thin = {label: thinned(given.get(label)) for label in failing}
    crashed = all(is_raised(given.get(label)) for label in failing)
    scores: list[tuple[tuple[int, ...], Known]] = []

    def is_hit(one: Known, label: str, share: float = 1.0) -> bool:
        if label not in one.answers or not is_same(
            thin[label], one.answers[label], want[label], share
        ):
            return False
        # where nothing else tells mistakes apart, the error must be the very same
        return not crashed or likeness(thin[label]) == likeness(one.answers[label])

    for one in known:
        if not is_hit(one, failing[0]):
            continue
        hits = [is_hit(one, label) for label in failing]
        against = sum(label in passing for label in one.answers)
        if 2 * against <= sum(hits):
            near = sum(hit and is_hit(one, label, NEAR) for label, hit in zip(failing, hits))
            scores.append(((against, len(hits) - sum(hits), -near), one))
    if not scores:
        first = next(result for result in results if result.label == failing[0])
        told = _general(first, given[failing[0]], want[failing[0]].sentences)
        return Diagnosis(told) if told else None
    top = min(score for score, _ in scores)
    best = [one for score, one in scores if score == top]
    also = dict.fromkeys(one.sentence for one in best if one.sentence != best[0].sentence)
    return Diagnosis(best[0].sentence, best[0].see, top[:2] == (0, 0), tuple(also))


def _general(result: Result, answer: Any, sentences: Mapping[str, str]) -> str | None:
    """What can be told of an answer that no mistake explains."""
    if is_raised(answer):  # what else could be said of it speaks of an answer
        changed_in_place = any(words in str(answer.get("says")) for words in IN_PLACE)
        return IN_PLACE_TOLD if changed_in_place else None
    if str(result.part).startswith("gradient of ") and answer[result.part] is None:
        return NO_GRADIENT.format(result.part.removeprefix("gradient of "))
    changed = answer if isinstance(answer, list) else []  # by a call
    names = [name for name in changed if isinstance(name, str)]
    return next((sentences[name] for name in [*names, "otherwise"] if name in sentences), None)


def advice(
    want: Mapping[str, Wanted], answers: Iterable[tuple[str, Any]], results: Sequence[Result]
) -> list[str]:
    """What is worth knowing of an answer beside its points: one sentence for each wrong answer of
    care."""
    given = dict(answers)
    wrong = [result for result in results if not result.ok and not result.core]
    wrong = [one for one in wrong if not is_raised(given.get(one.label))]  # core tells of errors
    told = [_general(one, given.get(one.label), want[one.label].sentences) for one in wrong]
    return [sentence or one.label for sentence, one in zip(told, wrong)]


def known_by(
    task: Task,
    want: Mapping[str, Wanted],
    sentence: str,
    see: Section | None,
    namespace: Namespace,
    key: str = PUBLIC,
    part: str = "visible",
) -> Known:
    """A mistake, asked: what it answers where that is wrong. namespace: in which its code ran."""
    answers = ask(task, namespace, key, core_only=True, part=part)
    wrong = {result.label for result in judge(want, answers) if not result.ok}
    known = {label: thinned(answer) for label, answer in answers if label in wrong}
    return Known(sentence, known, see)
