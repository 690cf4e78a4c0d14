"""Right and wrong answers to an assignment, as its task files have them: the right variants, and
the mistakes as edits of the solution.

Variants that bear one name in every task file ("ARENA") are a whole notebook. A cell that an answer
does not fill in is the solution's. This module knows nothing about how a submission is graded.
"""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from nbseal.authoring.task_files import Solved, task_files, task_folder
from nbseal.checks import declared
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files, marks

NAME_LENGTH = 50  # letters


@dataclass(frozen=True)
class Answer:
    """One answer to an assignment and what grading it must give."""

    assignment: str
    name: str  # layer_norm-right-flattens-and-loops; a student's name in the classes of the tests
    is_right: bool
    what: str  # what it does, or the sentence that it is told
    cells: dict[str, str]  # solution cell -> its source
    fails: frozenset[str]  # graded cells that give no points; all others give all of theirs ...
    may_fail: frozenset[str]  # ... but for these, which ask the same solution cell
    told: str | None  # part of a message that a failing check shows


@dataclass(frozen=True)
class Assignment:
    """The cells of an assignment that answers speak of."""

    solution: dict[str, str]  # solution cell -> the instructor's source
    asked: dict[str, str]  # task -> the solution cell that it asks
    points: dict[str, float]  # graded cell -> what it is worth

    @classmethod
    def of(cls, course: Course, assignment: str) -> "Assignment":
        [solved] = Solved.all_of(course, assignment)
        return cls(
            solution={name: cell.source for name, cell in solved.cells.items()},
            asked={task: str(solved.cell_of(task)) for task in task_files(course, assignment)},
            points={
                str(marks.grade_id(cell)): worth
                for cell in solved.notebook.cells
                if (worth := marks.points(cell))
            },
        )

    def tests_of(self, task: str) -> frozenset[str]:
        """The graded cells of a task: `layer_norm` stands for `layer_norm_test`."""
        return frozenset(name for name in (task, f"{task}_test") if name in self.points)


def load_answers(course: Course, assignment: str) -> list[Answer]:
    """All answers to an assignment, right ones first, whole notebooks before all. Raises
    CourseError for a file that cannot be read, and where there is none."""
    known, paths = Assignment.of(course, assignment), task_files(course, assignment)
    read = {
        task: _read(path, known.solution.get(known.asked[task], "")) for task, path in paths.items()
    }
    variants = {task: right for task, (right, _) in read.items() if task in known.solution}
    styles = list(next(iter(variants.values()), {}))
    styles = [title for title in styles if all(title in each for each in variants.values())]
    styles = styles if len(paths) > 1 else []
    right = [
        (f"whole {title}", title, {task: each[title] for task, each in variants.items()})
        for title in styles
    ]
    right += [
        (f"{task} right {title}", title, {task: source})
        for task, each in variants.items()
        for title, source in each.items()
        if title not in styles
    ]
    found = [(*one, frozenset[str](), frozenset[str](), None) for one in right]
    for task, (_, mistakes) in read.items():
        cell, fails = known.asked[task], known.tests_of(task)
        others = [other for other, asked in known.asked.items() if asked == cell]
        more = frozenset[str]().union(*map(known.tests_of, others))
        for sentence, source in mistakes:
            name = f"{task} wrong {sentence}"
            found.append((name, sentence, {cell: source}, fails, more, sentence))
    if not found:
        raise CourseError(f"{task_folder(course, assignment)} holds no answers: write task files.")
    names = _distinct([name for name, *_ in found])
    return [
        Answer(assignment, name, told is None, what, cells, fails, may_fail, told)
        for name, (_, what, cells, fails, may_fail, told) in zip(names, found)
    ]


def find_answer(course: Course, assignment: str, name: str) -> Answer:
    """The answer of this name. Raises CourseError with names like it where there is none."""
    answers = {answer.name: answer for answer in load_answers(course, assignment)}
    if name not in answers:
        alike = difflib.get_close_matches(name, answers, cutoff=0)
        raise CourseError(
            f"{assignment} has no answer {name!r}; names like it: {', '.join(alike)}."
        )
    return answers[name]


def build_submission(course: Course, answer: Answer) -> NotebookNode:
    """The released notebook with its solution cells filled in, as a student would hand it in."""
    solution = Assignment.of(course, answer.assignment).solution
    notebook = files.read(course.released_notebook(answer.assignment))
    for cell in notebook.cells:
        if marks.is_solution(cell):
            name = str(marks.grade_id(cell))
            cell.source = answer.cells.get(name, solution[name])
    return notebook


def _read(path: Path, solution: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Title and source of each right variant, sentence and source of each mistake."""
    try:
        text = path.read_text(encoding="utf-8")
        variants = declared.load_variants(text).items()
        mistakes = [(one.sentence, one.edit(solution)) for one in declared.load_mistakes(text)]
    except Exception as error:  # the file is a program, and may fail with anything
        raise CourseError(f"{path}: {type(error).__name__}: {error}") from error
    return {title.removeprefix("right: "): source for title, source in variants}, mistakes


def _distinct(texts: list[str]) -> list[str]:
    """Names of plain letters, as far as whole words fit; a number behind those that are alike."""
    names: list[str] = []
    for text in texts:
        words = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")
        if len(words) > NAME_LENGTH:
            words = words[: NAME_LENGTH + 1].rpartition("-")[0] or words[:NAME_LENGTH]
        alike = sum(name.rpartition("--")[0] == words or name == words for name in names)
        names.append(f"{words}--{alike + 1}" if alike else words)
    return names
