"""Wrong answers without a name, by what they are: students who gave the same one have, most likely,
made the same mistake, and a line in the test would name it for all of them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from nbformat import NotebookNode

from nbseal.cells.python import tree
from nbseal.notebook import answers
from nbseal.notebook.marks import grade_id, is_solution
from nbseal.pages.report.records import ClassRecord, Task, WrongAnswer
from nbseal.pages.spelling import is_written_out, part_of, spelled
from nbseal.records import Answers, CheckResult

PARTS = {"first": 0, "second": 1}  # what `of` may take of an answer
LONGEST = 4000  # letters of a student's code that a report shows
Likely = Mapping[str, str]  # what `answers.question` says -> the mutant that answers so


@dataclass(frozen=True)
class Group:
    """Students with the same wrong answer to the same check."""

    task: Task
    label: str
    answer: WrongAnswer | None  # None where it is not known: all who failed the check
    students: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.students)


def groups(record: ClassRecord) -> list[Group]:
    """The groups of a class, the largest first."""
    tasks = {task.key: task for task in record.tasks}
    who: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    shown: dict[tuple[str, str, str], WrongAnswer | None] = {}
    for submission in record.submissions:
        for failure in submission.failures:
            if not failure.named and failure.task in tasks:
                same = failure.answer.same if failure.answer else ""
                place = failure.task, failure.text, same
                who[place].append(submission.student)
                shown.setdefault(place, failure.answer)
    order = {key: number for number, key in enumerate(tasks)}
    found = [
        Group(tasks[place[0]], place[1], shown[place], tuple(dict.fromkeys(students)))
        for place, students in who.items()
    ]
    return sorted(found, key=lambda group: (-group.count, order[group.task.key], group.label))


def wrong_answer(
    nb: NotebookNode, cell: NotebookNode, check: CheckResult, given: Answers | None, likely: Likely
) -> WrongAnswer | None:
    """What a student answered where a check failed, if it was kept. cell: the test."""
    name = grade_id(cell) or ""
    records = [record for record in given.tests if record.grade_id == name] if given else []
    found = [one for record in records for one in record.answers if one.label == check.label]
    if not found or given is None:
        return None
    answer, part = found[0], _part(cell.source, check.label)
    text = spelled(answer if part is None else part_of(answer, part))
    question = answers.question(name, check.label, spelled(answer))
    return WrongAnswer(
        # inputs of hidden checks are others in each run
        same=f"{text} {given.key if check.hidden else ''}",
        line=f'"...": {text},' if is_written_out(text) and not check.hidden else None,
        code=_code_before(nb, cell),
        likely=likely.get(question),
    )


@lru_cache(maxsize=512)  # a class has the same tests
def _part(source: str, label: str) -> int | None:
    """Which part of its answer a check looks at, if its `of` is one of ours."""
    for node in ast.walk(tree(source) or ast.Module([], [])):
        if isinstance(node, ast.Call) and node.args:
            said = node.args[0]
            if isinstance(said, ast.Constant) and said.value == label:
                names = [k.value for k in node.keywords if k.arg == "of"]
                return PARTS.get(names[0].id) if names and isinstance(names[0], ast.Name) else None
    return None


def _code_before(nb: NotebookNode, test: NotebookNode) -> str:
    """The student's code that a test is about: the solution cell before it."""
    code = ""
    for cell in nb.cells:
        if grade_id(cell) == grade_id(test):
            break
        if cell.cell_type == "code" and is_solution(cell):
            code = cell.source
    return code[:LONGEST]
