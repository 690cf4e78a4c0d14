"""`nbseal rejudge`: a class judged again by tests that were mended, and nobody's code is run.

What each submission answered is kept, with the key of its run (notebook/answers.py). A test whose
expected value, tolerance or mistakes have changed asks the same of a student's code as before -
sealed, its text is the same - so that the answers it once got are judged by a new answer key under
the old key. A test that asks for something else now needs the code itself: those submissions are
left as they are, and named.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode

from nbseal.autograde.bench import Bench
from nbseal.autograde.context import GradingContext
from nbseal.autograde.gradebook import SourceNotebook, SubmissionRows
from nbseal.autograde.results import NotebookResult, Observer, SubmissionResult, notebook_result
from nbseal.autograde.run import ClassRun, ParallelAutograde
from nbseal.cells.sealing import SealingError, seal, uses_expect
from nbseal.engine.engine import Engine
from nbseal.nbgrader_internals import names_of, results_of, source_of
from nbseal.notebook import answers, files
from nbseal.notebook.marks import grade_id, is_test, locked
from nbseal.notebook.notes import OURS, SECONDS, record_of
from nbseal.notebook.text import some_of
from nbseal.records import Answers, CellOutputs, GradedExecution

AHEAD = 8  # submissions that are judged before the one that is written


class NeedsRunning(Exception):
    """Answers that are kept do not say what a submission is worth now; the text says why."""


class Rejudge(ParallelAutograde):
    """Takes the place of nbgrader's Autograde; submissions that are not graded yet are left."""

    def run_of(self, bench: Bench) -> ClassRun:
        return JudgedAgain(bench, self.assignments, self.odd, self.workers, self.observer)


@dataclass
class Notebook:
    """An autograded notebook, and the answers that are judged again."""

    path: Path
    names: dict[str, str]
    nb: NotebookNode
    answers: Answers
    judged: Future[GradedExecution] | None = None


class JudgedAgain(ClassRun):
    """The submissions of one run, as they were graded before."""

    def __init__(
        self,
        bench: Bench,
        assignments: dict[str, list[str]],
        odd: dict[str, str],
        workers: int,
        observer: Observer,
    ):
        super().__init__(bench, assignments, odd, workers, observer)
        self._left: dict[str, list[str]] = defaultdict(list)  # why -> students
        self._changed: list[str] = []

    @property
    def news(self) -> list[str]:
        """How many scores have changed, and who needs to be run again."""
        said = [f"{len(self._changed)} scores have changed{_some(self._changed)}."]
        for why, students in self._left.items():
            only = f" --student={students[0]}" if len(students) == 1 else ""
            said.append(
                f"{len(students)} {'submission has' if len(students) == 1 else 'submissions have'} "
                f"to be run again, because {why}{_some(students)}: `nbseal autograde "
                f"{self._bench.converter.coursedir.assignment_id}{only} --force`."
            )
        return said

    def grade(self) -> None:
        """Judge a few ahead, and write them in the order of their names."""
        self._observer.expects(len(self._assignments))
        students = [names_of(self._bench.converter, paths[0]) for paths in self._in_order()]
        with ThreadPoolExecutor(self._workers) as judges:
            waiting: list[tuple[str, list[Notebook]]] = []
            for names in students:
                try:
                    notebooks = self._staged(names["student"], names["assignment"])
                    for one in notebooks:
                        one.judged = judges.submit(self._judge, self._engine(one), one)
                    waiting.append((names["student"], notebooks))
                except NeedsRunning as reason:
                    self._left[str(reason)].append(names["student"])
                if len(waiting) > AHEAD:
                    self._write(*waiting.pop(0))
            for student, notebooks in waiting:
                self._write(student, notebooks)

    def _in_order(self) -> list[list[str]]:
        return [self._assignments[path] for path in sorted(self._assignments)]

    # -- one submission ----------------------------------------------------------------------------

    def _staged(self, student: str, assignment: str) -> list[Notebook]:
        """Its notebooks with today's tests. Raises NeedsRunning where one asks other questions."""
        folder = Path(os.path.normpath(results_of(self._bench.converter, assignment, student)))
        found = []
        for name, source in self._bench.course.gradebook.source(assignment).notebooks.items():
            path = folder / f"{name}.ipynb"
            if name in self._bench.others or not path.is_file():
                continue
            nb = files.read(path)
            if record_of(nb)["unreadable"]:
                continue
            names = {"assignment": assignment, "student": student, "notebook": name}
            given = answers.kept(self._bench.course.answers_of(names), nb)
            if given is None:
                raise NeedsRunning("no answers of theirs are kept")
            bring_up_to_date(nb, source)
            found.append(Notebook(path, names, nb, given))
        if not found:
            raise NeedsRunning("they are not graded yet")
        return found

    def _engine(self, one: Notebook) -> Engine:
        """With an answer key under the key of the notebook's run."""
        execute = self._bench.chain.execute
        assert execute is not None, "answers are kept by it"
        executions, names = self._bench.course.executions, one.names
        return executions.prepare(
            names["assignment"], names["notebook"], execute.settings(), one.answers.key
        )

    def _judge(self, engine: Engine, one: Notebook) -> GradedExecution:
        executions = self._bench.course.executions
        fresh = executions.judge_again(engine, one.names, one.nb, one.answers)
        sealed = {verdict.grade_id for verdict in fresh.verdicts}
        cells = {
            index: CellOutputs(
                fresh.cells[index].outputs if grade_id(cell) in sealed else cell.outputs,
                cell.execution_count,
            )
            for index, cell in enumerate(one.nb.cells)
            if cell.cell_type == "code"
        }
        notes = one.nb.metadata.get(OURS) or {}
        return replace(
            fresh,
            cells=cells,
            seconds=_seconds(one.nb),
            problem=notes.get("problem"),
            repeated=bool(notes.get("repeated")),
            answers=None,
        )

    def _write(self, student: str, notebooks: list[Notebook]) -> None:
        """Scores in one transaction, then the notebooks: what is cut off here is judged again by
        the same command."""
        assignment, gradebook = notebooks[0].names["assignment"], self._bench.course.gradebook
        folder = self._bench.area / student
        folder.mkdir()
        results: list[NotebookResult] = []
        with gradebook.submission(assignment, student, None) as rows:
            before = _score(rows)
            for one in notebooks:
                assert one.judged is not None, "it was handed to a judge"
                context = GradingContext(self._bench.course, rows, one.judged.result())
                chain = self._bench.chain
                handed_in = source_of(chain.converter, assignment, student) / one.path.name
                resources = chain.resources(str(handed_in), folder, one.path, context)
                nb, resources = chain.apply(chain.from_execute_on, one.nb, resources)
                chain.write(files.by_cell(nb), resources, folder)
                row = rows.notebooks[one.names["notebook"]]
                results.append(notebook_result(row, context.execution, None, record_of(nb)))
            if _score(rows) != before:
                self._changed.append(student)
        for one in notebooks:
            shutil.copymode(one.path, folder / one.path.name)
            os.replace(folder / one.path.name, one.path)
        shutil.rmtree(folder)
        self._observer.finished(
            SubmissionResult(student, "graded", None, 0.0, 0.0, 0.0, 0.0, tuple(results))
        )


def _score(rows: SubmissionRows) -> float:
    return sum(notebook.score for notebook in rows.notebooks.values())


def _seconds(nb: NotebookNode) -> float:
    """How long it ran when it ran."""
    found = (cell.metadata[SECONDS] for cell in nb.cells if SECONDS in cell.metadata)
    return float(next(found, 0.0))


def _some(students: list[str]) -> str:
    return f" ({some_of(students)})" if students else ""


# -- is it still the same question? ----------------------------------------------------------------


def bring_up_to_date(nb: NotebookNode, source: SourceNotebook) -> None:
    """Put today's tests and points into an autograded notebook. Raises NeedsRunning where its
    answers are no answers to them."""
    present = {name: cell for cell in nb.cells if (name := grade_id(cell))}
    for why in _differing(present, source):
        raise NeedsRunning(why)
    for name, cell in present.items():
        if locked(cell) and name in source.cells:
            cell.source = source.cells[name].source
            cell.metadata.nbgrader["checksum"] = source.cells[name].checksum
        if name in source.graded and "points" in cell.metadata.nbgrader:
            cell.metadata.nbgrader["points"] = source.graded[name].max_score


def _differing(present: Mapping[str, NotebookNode], source: SourceNotebook) -> Iterator[str]:
    """Why answers have to be given anew."""
    for name, today in source.cells.items():
        cell = present.get(name)
        if cell is None and name in source.graded:
            yield f"the test {name!r} is new"
        if cell is None or not today.locked or today.cell_type != "code":
            continue
        if is_test(cell):
            if _asked(cell.source) != _asked(today.source):
                yield f"the test {name!r} asks for something else now"
        elif cell.source != today.source:
            yield f"the cell {name!r}, which students are given, has changed"


@lru_cache(maxsize=1000)  # a class has few sources, and reading one takes a while
def _asked(source: str) -> str:
    """What a test asks of a student's code: its text without what it expects, if it is sealed."""
    if not uses_expect(source):
        return source
    try:
        return seal(source).source
    except SealingError:
        return source
