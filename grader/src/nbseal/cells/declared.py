"""Test cells that ask declared tasks: `check("layer_norm")`, and nothing else.

Sealed, such a cell carries the source of the probes:

    _course_check("layer_norm", "task = Task(...)", hidden=False)

The probes are read from `tasks.json`, which lies beside the instructor's notebook.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from nbseal.cells.python import parse
from nbseal.cells.sealable import PRIVATE, ByHand, SealingError, is_course_module, is_name
from nbseal.cells.sealing import Sealed
from nbseal.cells.vocabulary import speaks
from nbseal.view import CourseView

NAME = "check"
SEALED_NAME = PRIVATE + NAME
FILE = "tasks.json"
HOW = 'write check("NAME") or check("NAME", hidden=True), and nothing else'


@dataclass(frozen=True)
class DeclaredTask:
    """What the engine has to know of a task: the source of its probes, what is to be written by
    hand, and without what."""

    probes: str
    targets: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """One call of ``check``."""

    task: str
    hidden: bool
    line: int


def read(folder: Path | None) -> dict[str, DeclaredTask]:
    """The tasks of the notebooks in a folder; none where there is no tasks.json. Raises ValueError
    for a file that cannot be read."""
    if folder is None or not (folder / FILE).is_file():
        return {}
    try:
        tasks = json.loads((folder / FILE).read_text(encoding="utf-8"))["tasks"]
        return {
            name: DeclaredTask(task["source"], tuple(task["targets"]), tuple(task["by_hand"]))
            for name, task in tasks.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{folder / FILE} cannot be read ({type(error).__name__}: {error}): make it again with "
            "`nbseal release`"
        ) from None


def of_notebook(
    notebook: NotebookNode, folder: Path | None, course: CourseView
) -> dict[str, DeclaredTask]:
    """The declared tasks of a notebook whose `check` is ours; a course may have another. Raises
    ValueError as `read` does."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return read(folder) if speaks(sources, folder, course, word=NAME) else {}


def uses_check(source: str) -> bool:
    """Whether a cell calls ``check``. Cells that are not Python do not."""
    try:
        return any(
            isinstance(node, ast.Call) and is_name(node.func, NAME)
            for node in ast.walk(parse(source))
        )
    except SyntaxError:
        return False


def calls(source: str) -> tuple[Call, ...]:
    """The calls of ``check`` in a cell. Raises SealingError where it does anything else."""
    found = []
    for statement in parse(source).body:
        if isinstance(statement, ast.ImportFrom) and is_course_module(statement.module):
            continue
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="check"), args=[ast.Constant(value=str(task))], keywords=given
                )
            ):
                found.append(Call(task, _hidden(given, statement.lineno), statement.lineno))
            case _:
                raise SealingError(
                    statement.lineno, "a cell that calls `check` does something else, too", HOW
                )
    return tuple(found)


def _hidden(given: list[ast.keyword], line: int) -> bool:
    match given:
        case []:
            return False
        case [ast.keyword(arg="hidden", value=ast.Constant(value=bool(hidden)))]:
            return hidden
    raise SealingError(line, "`check` takes the name of a task and `hidden`", HOW)


def seal(source: str, tasks: Mapping[str, DeclaredTask]) -> Sealed:
    """Seal a cell of ``check`` calls. Raises SealingError."""
    text, hands = [], list[ByHand]()
    for call in calls(source):
        task = tasks.get(call.task)
        if task is None:
            raise SealingError(
                call.line,
                f"there is no task {call.task!r} in {FILE}",
                f"the tasks are {', '.join(tasks)}; `nbseal release` makes the file anew",
            )
        text.append(f"{SEALED_NAME}({call.task!r}, {task.probes!r}, {call.hidden})\n")
        if task.by_hand and call.hidden:
            hands += [ByHand(target, task.by_hand, hidden=False) for target in task.targets]
    return Sealed("".join(text), (), tuple(hands))


def is_sealed(source: str) -> bool:
    """Whether a sealed cell asks declared tasks."""
    return source.startswith(f"{SEALED_NAME}(")
