"""check("row_stats"): what a student runs below a task. Values and sentences come from a file; no
reference is there."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import tasks as hand
from ..answers import kind_of
from ..failing import CheckFailed
from .asking import is_raised
from .judging import advice, diagnose, judge
from .showing import Report
from .stored import FOLDER, GRADED, VISIBLE, Stored, read, unpacked
from .tasks import Task, ask, load


def check(name: str, *, hidden: bool = False) -> None:
    """Check what you wrote for a task: shows all that was tried, and raises CheckFailed where
    something is not right.

    hidden: asks once more, with other inputs, when a notebook is graded; does nothing elsewhere
    """
    frame = sys._getframe(1)
    place = _file_of(name, hidden)
    if place is None:
        return
    entry = read(place)["tasks"].get(name)
    if entry is None:
        raise CheckFailed(f"{place} has no task {name!r}: run `nbseal release`")
    task = load(entry["source"])
    report = checked(task, unpacked(name, entry, task), frame, hidden)
    _show(report)
    if not report.ok:
        raise CheckFailed(report.headline())


def checked(task: Task, stored: Stored, frame: types.FrameType, hidden: bool = False) -> Report:
    """All of a task's probes, asked of the notebook that a frame belongs to."""
    names, part = frame.f_globals, "hidden" if hidden else "visible"
    _watch(task, names, frame)
    try:
        answers = ask(task, names, stored.key, core_only=hidden, part=part)
        hand.raise_violation(task.name)
    finally:
        if task.by_hand:
            hand.stop_watching()
    wanted = {label: stored.wanted[label] for label, _ in answers}
    results = judge(wanted, answers)
    return Report(
        stored.title or task.name,
        stored.points,
        task,
        dict(answers),
        wanted,
        results,
        diagnose(wanted, answers, results, stored.known),
        advice(wanted, answers, results),
        is_open=any(is_raised(a) and a["raised"] == "NotImplementedError" for _, a in answers),
        hidden=hidden,
    )


def _watch(task: Task, names: Mapping[str, Any], frame: types.FrameType) -> None:
    """Has what is written by hand watched, where the task asks for it."""
    for target in task.targets if task.by_hand else ():
        if target in names and not callable(names[target]):
            raise CheckFailed(f"{target} is {kind_of(names[target])}, not a function or a class")
        if target in names:
            hand.watch(names[target], task.by_hand, frame)


def _show(report: Report) -> None:
    """As HTML where a notebook shows that, else as text."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display(report)
    else:
        print(report)


# ---- where the values lie -----------------------------------------------------------------------


def _file_of(name: str, hidden: bool) -> Path | None:
    """The file that has this task. In an instructor's course, which holds tasks/, it is the
    course's, never the one beside a submission; elsewhere the one beside the notebook, or in the
    course that its first cell has fetched."""
    here = Path.cwd()
    for root in [here, *here.parents]:
        assignments = [path.parent.name for path in (root / FOLDER).glob(f"*/{name}.py")]
        if not assignments:
            continue
        assignment = here.name if here.name in assignments else sorted(assignments)[0]
        if hidden:
            return _present(root / FOLDER / assignment / GRADED)
        places = sorted(root.glob(f"*/{assignment}/{VISIBLE}"), reverse=True)  # solutions/ first
        return _present(places[0] if places else root / assignment / VISIBLE)
    if hidden:
        raise CheckFailed(f"no {FOLDER}/*/{name}.py above {here}: grade inside the course's folder")
    if (here / VISIBLE).is_file():
        return here / VISIBLE
    course = Path(__file__).parents[2]
    for place in sorted(course.glob(f"*/*/{VISIBLE}")):
        if name in read(place)["tasks"]:
            return place
    raise CheckFailed(
        f"no {VISIBLE} beside this notebook has {name!r}: fetch the exercise's folder again"
    )


def _present(path: Path) -> Path:
    if not path.is_file():
        raise CheckFailed(f"{path} does not exist: run `nbseal release`")
    return path
