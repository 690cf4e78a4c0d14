"""Wrong answers without a name, by what they are: students who gave the same one have, most likely,
made the same mistake, and a line in the test would name it for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from nbseal.notebook.marks import grade_id, is_solution
from nbseal.notebook.mutants import question
from nbseal.pages.report.records import ClassRecord, Task, WrongAnswer
from nbseal.records import CheckResult

LONGEST = 4000  # letters of a student's code that a report shows
Likely = Mapping[str, str]  # what `question` says -> the mutant that answers so


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
    nb: NotebookNode, cell: NotebookNode, check: CheckResult, likely: Likely
) -> WrongAnswer | None:
    """What a student answered where a check failed, if that is known. cell: the test."""
    if not check.answer:
        return None
    is_written_out = not check.answer.startswith("#")  # and no digest
    return WrongAnswer(
        same=check.answer,
        line=f'"...": {check.answer},' if is_written_out else None,
        code=_code_before(nb, cell),
        likely=likely.get(question(grade_id(cell) or "", check.label, check.answer)),
    )


def _code_before(nb: NotebookNode, test: NotebookNode) -> str:
    """The student's code that a test is about: the solution cell before it."""
    code = ""
    for cell in nb.cells:
        if grade_id(cell) == grade_id(test):
            break
        if cell.cell_type == "code" and is_solution(cell):
            code = cell.source
    return code[:LONGEST]
