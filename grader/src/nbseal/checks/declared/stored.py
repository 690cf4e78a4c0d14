"""tasks.json, what a student gets, and graded.json, the same with a secret key for the instructor's
machine alone.

Of each task: the source of its probes, what is wanted, how far an answer may be off, and what each
mistake answers where it is wrong, with its sentence. No reference, and no mistake's code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from ..arrays import dtype_of, is_array, is_tensor, loaded
from .asking import DERIVED, PUBLIC, drawn_with, is_raised, likeness
from .judging import THINNED, Known, Wanted
from .tasks import Section, Task, load

FORMAT = 2
DIGITS = 6  # of each number; other processors give other last digits
USUAL = "float32"  # where no other dtype is named
MOST_NUMBERS = 2_000  # in what is wanted of a probe
FOLDER = "tasks"  # of an instructor's course: task files, a folder for each assignment
VISIBLE, GRADED = "tasks.json", "graded.json"


@dataclass(frozen=True)
class Stored:
    """A task as it is read from a file. title: "Task 1"; key: that its inputs are drawn with."""

    name: str
    source: str
    title: str
    points: float
    key: str
    wanted: Mapping[str, Wanted]
    known: Sequence[Known]

    def task(self) -> Task:
        return load(self.source)


def digest(solutions: Iterable[str], file: str) -> str:
    """What changes when a task file, or the solution cells of the notebook, do."""
    words = [str(FORMAT), file, *solutions]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:32]


# ---- writing ------------------------------------------------------------------------------------


def packed(
    task: Task,
    source: str,
    want: Mapping[str, Wanted],
    known: Sequence[Known],
    title: str = "",
    points: float = 0,
    key: str = PUBLIC,
) -> dict[str, Any]:
    """A task as JSON. Raises ValueError for answers of too many numbers."""
    probes: dict[str, dict[str, Any]] = {}
    written = {probe.label: probe for probe in task.probes}
    sentences = list(dict.fromkeys((one.sentence, one.see) for one in known if one.answers))
    for label, one in want.items():
        entry: dict[str, Any] = {"tolerance": _short(one.tolerance)}
        if written[label].wanted is DERIVED:
            if (count := numbers_in(one.value)) > MOST_NUMBERS:
                raise ValueError(
                    f"{task.name}: the answer to {label!r} has {count} numbers, more than "
                    f"{MOST_NUMBERS}: ask with smaller inputs"
                )
            entry["wanted"] = plain(one.value)
        texts = [json.dumps(plain(m.answers[label])) for m in known if label in m.answers]
        entry["mistakes"] = list(dict.fromkeys(texts))  # many mistakes give one answer
        probes[label] = entry
    vectors = [
        [sentences.index((one.sentence, one.see)), list(_places(one, probes))]
        for one in known
        if one.answers
    ]
    for entry in probes.values():
        entry["mistakes"] = [json.loads(text) for text in entry["mistakes"]]
    return {
        "title": title,
        "points": points,
        "key": key,
        "by_hand": task.by_hand,
        "targets": task.targets,
        "source": source.strip() + "\n",
        "sentences": [[text, see and [*astuple(see)]] for text, see in sentences],
        "probes": probes,
        "mistakes": vectors,
    }


def _places(one: Known, probes: Mapping[str, Any]) -> Iterable[tuple[int, int]]:
    """(probe, answer) by their numbers, of all that a mistake answers wrongly."""
    for number, (label, entry) in enumerate(probes.items()):
        if label in one.answers:
            yield number, entry["mistakes"].index(json.dumps(plain(one.answers[label])))


def plain(value: Any) -> Any:
    """As JSON: arrays as nested lists with their dtype, numbers with six digits."""
    if is_array(value):
        kind = "tensor" if is_tensor(value) else "array"
        more: dict[str, Any] = {} if (name := dtype_of(value)) == USUAL else {"dtype": name}
        if 0 in value.shape:  # which no list shows
            more["shape"] = list(value.shape)
        return {kind: _short(value.tolist()), **more}
    if is_raised(value):
        return {"raised": value["raised"], "like": likeness(value)}
    if isinstance(value, Mapping) and value.keys() == THINNED:
        return {**plain(value["numbers"]), "of": value["shape"]}
    if isinstance(value, Mapping):
        return {"dict": [[name, plain(item)] for name, item in value.items()]}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return _short(value)


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _short(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def numbers_in(value: Any) -> int:
    if is_array(value):
        return int(value.size if not is_tensor(value) else value.numel())
    if isinstance(value, Mapping):
        return sum(map(numbers_in, value.values()))
    return sum(map(numbers_in, value)) if isinstance(value, (tuple, list)) else 1


# ---- reading ------------------------------------------------------------------------------------


def read(path: Path) -> dict[str, Any]:
    """The whole file. Raises ValueError for one of another version, or that is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} cannot be read: fetch it again, or make it anew") from None
    return dict(content)


def unpacked(name: str, entry: Mapping[str, Any], task: Task | None = None) -> Stored:
    """A task of a file. What a criterion asks stands in its source alone."""
    probes = {probe.label: probe for probe in (task or load(entry["source"])).probes}
    wanted, given = {}, list(entry["probes"].items())
    for label, one in given:
        probe = probes[label]
        with drawn_with(entry["key"]):
            value = restored(one["wanted"]) if "wanted" in one else probe.said()
        wanted[label] = Wanted(value, one["tolerance"], probe.core, probe.sentences)
    known = []
    for number, places in entry["mistakes"]:
        sentence, see = entry["sentences"][number]
        answers = {given[p][0]: restored(given[p][1]["mistakes"][a]) for p, a in places}
        known.append(Known(sentence, answers, Section(*see) if see else None))
    words = entry["source"], entry["title"], entry["points"], entry["key"]
    return Stored(name, *words, wanted, known)


def read_task(path: Path, name: str) -> Stored:
    """One task of a file. Raises ValueError where it has none of that name."""
    tasks = read(path)["tasks"]
    if name not in tasks:
        raise ValueError(f"{path} has no task {name!r}, it has: {', '.join(tasks)}")
    return unpacked(name, tasks[name])


def restored(value: Any) -> Any:
    if isinstance(value, list):
        return [restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {name: restored(item) for name, item in value["dict"]}
    if "raised" in value:
        return value
    kind = "tensor" if "tensor" in value else "array"
    numbers, dtype = value[kind], value.get("dtype", USUAL)
    if torch := loaded("torch"):
        found = torch.tensor(numbers, dtype=getattr(torch, dtype))
    elif numpy := loaded("numpy"):
        found = numpy.array(numbers, dtype=dtype)
    else:
        return numbers
    if "of" in value:
        return {"shape": value["of"], "numbers": found}
    return found.reshape(value["shape"]) if "shape" in value else found
