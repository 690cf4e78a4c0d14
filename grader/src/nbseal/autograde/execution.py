"""Handing notebooks to the engine, and bringing back what their sessions wrote.

Between nbgrader, which speaks of students and folders, and the engine, which knows neither.
"""

import atexit
import tempfile
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from nbseal.autograde.gradebook import OpenGradebook, SubmissionRows
from nbseal.autograde.source import locked_cells, source_notebook
from nbseal.confine import require_closed
from nbseal.course import view
from nbseal.engine.engine import Engine
from nbseal.errors import CourseError
from nbseal.folders import _write_beside, copy_files
from nbseal.notebook.files import compact
from nbseal.records import GradedExecution, Limits, Work

# engines that outlive their run: Formgrader autogrades one student at a time
_warm: dict[tuple, Engine] = {}


def limits_of(timeout: int | None, others: dict | None = None) -> Limits:
    """The limits of a session, from nbgrader's timeout for a cell (None or negative: only the
    session's own limit)."""
    limits = replace(Limits(), **(others or {}))
    cell = float(timeout) if timeout is not None and timeout >= 0 else limits.session_seconds
    if cell > limits.session_seconds and "session_seconds" not in (others or {}):
        # Someone who allows a cell an hour did not mean to stop the session after five minutes.
        limits = replace(
            limits, session_seconds=2 * cell, cpu_seconds=max(limits.cpu_seconds, int(2 * cell))
        )
    return replace(limits, cell_seconds=cell)


@cache
def _closed_boundaries(accept_open: frozenset[str]) -> Future:
    """Tries every boundary of this host, in the background; raises CourseError if one is open that
    is not accepted."""
    trial: Future = Future()

    def attempt() -> None:
        try:
            trial.set_result(require_closed(accept_open))
        except BaseException as error:
            trial.set_exception(error)

    threading.Thread(target=attempt, daemon=True).start()
    return trial


class Executions:
    """The engine of one run: started when the first notebook needs it, told once about each source
    notebook."""

    def __init__(
        self,
        coursedir: CourseDirectory,
        gradebook: OpenGradebook,
        *,
        workers: int,
        keep_warm: bool = False,
    ):
        self.coursedir = coursedir
        self.gradebook = gradebook
        self._workers = workers
        self._keep_warm = keep_warm
        self._engine: Engine | None = None
        self._closed: Future | None = None
        self._prepared: set[tuple[str, str]] = set()
        self._kernels = KernelSpecManager()

    def prepare(
        self,
        assignment: str,
        notebook: str,
        limits: Limits,
        accept_open: frozenset[str],
        course_files: tuple[str, ...] = (),
        full_marks: bool = True,
    ) -> None:
        """Start the engine and make the answer key for one notebook, unless that is done.

        Raises CourseError where the course itself is the reason that nothing can be graded.
        """
        if (assignment, notebook) in self._prepared:
            return
        source = self.gradebook.source(assignment).notebooks[notebook]
        if source.kernelspec:
            try:
                self.check_kernel(source.kernelspec)
            except ValueError as error:
                raise CourseError(f"{assignment}/{notebook}.ipynb: {error}") from None
        if self._engine is None:
            self._closed = _closed_boundaries(accept_open)  # tried while the engine warms up
            self._engine = self._start(limits, accept_open, course_files)
        folder = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment))
        try:
            self._engine.prepare(
                source_notebook(self.coursedir, assignment, notebook),
                locked_cells(source),
                name=f"{assignment}/{notebook}",
                folder=folder if folder.is_dir() else None,
                full_marks=full_marks,
            )
        except CourseError:
            raise
        except Exception as error:  # ours or the course's fault, and no submission's
            raise CourseError(
                f"{assignment}/{notebook}.ipynb: its answer key could not be made "
                f"({type(error).__name__}: {error})."
            ) from error
        self._closed.result()
        self._prepared.add((assignment, notebook))

    def _start(
        self, limits: Limits, accept_open: frozenset[str], course_files: tuple[str, ...]
    ) -> Engine:
        course = view(self.coursedir, course_files)
        if not self._keep_warm:
            return Engine(course, workers=self._workers, limits=limits, accept_open=accept_open)
        key = (course, limits, accept_open)
        if key not in _warm:
            _warm[key] = Engine(
                course, workers=self._workers, limits=limits, accept_open=accept_open
            )
            atexit.register(_warm[key].close)
        return _warm[key]

    def submit(
        self,
        assignment: str,
        notebook: str,
        student: str,
        nb: NotebookNode,
        folder: str | Path,
        limits: Limits,
        accept_open: frozenset[str],
        course_files: tuple[str, ...] = (),
        full_marks: bool = True,
    ) -> "Future[GradedExecution]":
        """Have a notebook executed beside the files in `folder`. Raises ValueError for a kernel
        that is not Python."""
        self.prepare(assignment, notebook, limits, accept_open, course_files, full_marks)
        self.check_kernel(nb.metadata.get("kernelspec") or {})
        return self._engine.submit(
            Work(student, f"{assignment}/{notebook}", compact(nb), Path(folder))
        )

    @contextmanager
    def handed_in(self, assignment: str, folder: str | Path) -> Iterator[Path]:
        """A copy of a folder without the assignment's notebooks: they hold hidden tests, which no
        session is to read."""
        with tempfile.TemporaryDirectory(prefix="handed-in-") as beside:
            copy_files(
                Path(folder),
                Path(beside),
                leave_out=frozenset(self.gradebook.source(assignment).notebooks),
            )
            yield Path(beside)

    def check_kernel(self, kernelspec: dict) -> None:
        """Raise ValueError unless a notebook asks for Python."""
        language = self._language(kernelspec)
        if language.lower() != "python":
            raise ValueError(f"it asks for a {language} kernel, and the engine runs Python.")

    def _language(self, kernelspec: dict) -> str:
        """By what the notebook says itself, else by what is installed here."""
        name = kernelspec.get("name", "python3")
        if name in ("python", "python3"):
            return "python"
        if kernelspec.get("language"):
            return str(kernelspec["language"])
        try:
            return self._kernels.get_kernel_spec(name).language
        except NoSuchKernel:
            raise ValueError(
                f"it asks for the kernel {name!r}, which is not installed: `jupyter kernelspec list` "
                "names those that are."
            ) from None

    def other_languages(self, assignment: str) -> dict[str, str]:
        """The notebooks of an assignment that are left to nbgrader -> the sentence that says so.

        Raises CourseError where nothing else is left.
        """
        notebooks, others = self.gradebook.source(assignment).notebooks, {}
        for name, source in notebooks.items():
            with suppress(ValueError):  # what cannot be told is said when the notebook is prepared
                language = self._language(source.kernelspec or {})
                if language.lower() != "python":
                    others[name] = (
                        f"{assignment}/{name}.ipynb is written in {language}, which nbseal leaves to "
                        "nbgrader: grade it, unconfined, with `GRADING_ENGINE=nbgrader nbgrader "
                        f"autograde {assignment} --notebook={name}`."
                    )
        if others and len(others) == len(notebooks):
            raise CourseError(" ".join(others.values()))
        return others

    def write_files(self, execution: GradedExecution, assignment: str, folder: str | Path) -> None:
        """Put what a session wrote where nbgrader would have left it, but for notebooks, their
        reports and timestamps."""
        kept = {"timestamp.txt"} | {
            f"{name}.html" for name in self.gradebook.source(assignment).notebooks
        }
        for name, content in execution.files:
            path = PurePosixPath(name)
            if path.suffix != ".ipynb" and str(path) not in kept:
                _write_beside(Path(folder), path, content)

    def close(self) -> None:
        if self._engine is not None and not self._keep_warm:
            self._engine.close()
        self._engine = None


class Run:
    """What the preprocessors of one converter share: the gradebook, the engine, and the submission
    being written."""

    def __init__(self, coursedir: CourseDirectory, executions: Executions):
        self.coursedir = coursedir
        self.executions = executions
        self.gradebook = executions.gradebook
        self._open: SubmissionRows | None = None
        self.prefetched: dict[tuple[str, str], GradedExecution] = {}

    @contextmanager
    def writing(self, rows: SubmissionRows):
        """While a submission's transaction is open, its preprocessors write into that."""
        self._open = rows
        try:
            yield
        finally:
            self._open = None

    @contextmanager
    def notebook_rows(self, resources: dict):
        """The rows of one notebook: of the open transaction, or of one for this notebook alone."""
        names = resources["nbgrader"]
        if self._open is not None:
            yield self._open.row, self._open.notebooks[names["notebook"]]
            return
        with self.gradebook.submission(names["assignment"], names["student"], None) as submission:
            yield submission.row, submission.notebooks[names["notebook"]]


_runs: "weakref.WeakKeyDictionary" = weakref.WeakKeyDictionary()


def run_of(preprocessor: NbGraderPreprocessor) -> Run:
    """The run that a preprocessor belongs to: nbconvert's parents are the exporter, and above it
    the converter."""
    converter = preprocessor.parent.parent
    run = getattr(converter, "run", None) or _runs.get(converter)
    if run is None:
        coursedir = converter.coursedir
        gradebook = OpenGradebook(coursedir.db_url, coursedir.course_id)
        run = _runs[converter] = Run(
            coursedir, Executions(coursedir, gradebook, workers=1, keep_warm=True)
        )
        weakref.finalize(converter, run.executions.close)
        weakref.finalize(converter, gradebook.close)
    return run
