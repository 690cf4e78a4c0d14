"""Handing notebooks to the engine, and bringing back what their sessions wrote.

Between nbgrader, which speaks of students and folders, and the engine, which knows neither.
"""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from grading.confinement import require_closed
from grading.engine import Engine
from grading.errors import CourseError
from grading.gradebook import OpenGradebook
from grading.notebook_text import compact
from grading.records import GradedExecution, Limits, Work
from grading.source_cells import locked_cells, source_notebook

_warm: dict[tuple, Engine] = {}  # engines that outlive their run: Formgrader autogrades one student at a time


def limits_of(timeout: int | None, others: dict | None = None) -> Limits:
    """The limits of a session, from nbgrader's timeout for a cell (None or negative: only the session's own limit)."""
    limits = replace(Limits(), **(others or {}))
    cell = float(timeout) if timeout is not None and timeout >= 0 else limits.session_seconds
    if cell > limits.session_seconds and "session_seconds" not in (others or {}):
        # Someone who allows a cell an hour did not mean to stop the session after five minutes.
        limits = replace(limits, session_seconds=2 * cell, cpu_seconds=max(limits.cpu_seconds, int(2 * cell)))
    return replace(limits, cell_seconds=cell)


@cache
def _closed_boundaries(accept_open: frozenset[str]) -> Future:
    """Tries every boundary of this host, in the background; raises CourseError if one is open that is not accepted."""
    trial: Future = Future()

    def attempt() -> None:
        try:
            trial.set_result(require_closed(accept_open))
        except BaseException as error:
            trial.set_exception(error)

    threading.Thread(target=attempt, daemon=True).start()
    return trial


class Executions:
    """The engine of one run: started when the first notebook needs it, told once about each source notebook."""

    def __init__(self, coursedir: CourseDirectory, gradebook: OpenGradebook, *, workers: int, keep_warm: bool = False):
        self.coursedir = coursedir
        self.gradebook = gradebook
        self._workers = workers
        self._keep_warm = keep_warm
        self._engine: Engine | None = None
        self._closed: Future | None = None
        self._prepared: set[tuple[str, str]] = set()
        self._kernels = KernelSpecManager()

    def prepare(self, assignment: str, notebook: str, limits: Limits, accept_open: frozenset[str]) -> None:
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
            self._engine = self._start(limits, accept_open)
        folder = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment))
        try:
            self._engine.prepare(source_notebook(self.coursedir, assignment, notebook), locked_cells(source),
                                 name=f"{assignment}/{notebook}", folder=folder if folder.is_dir() else None)
        except CourseError:
            raise
        except Exception as error:  # ours or the course's fault, and no submission's
            raise CourseError(f"{assignment}/{notebook}.ipynb: its answer key could not be made "
                              f"({type(error).__name__}: {error}).") from error
        self._closed.result()
        self._prepared.add((assignment, notebook))

    def _start(self, limits: Limits, accept_open: frozenset[str]) -> Engine:
        course = Path(self.coursedir.root)
        if not self._keep_warm:
            return Engine(course, workers=self._workers, limits=limits, accept_open=accept_open)
        key = (course, limits, accept_open)
        if key not in _warm:
            _warm[key] = Engine(course, workers=self._workers, limits=limits, accept_open=accept_open)
            atexit.register(_warm[key].close)
        return _warm[key]

    def submit(self, assignment: str, notebook: str, student: str, nb: NotebookNode, folder: str | Path,
               limits: Limits, accept_open: frozenset[str]) -> "Future[GradedExecution]":
        """Have a notebook executed beside the files in `folder`. Raises ValueError for a kernel that is not Python."""
        self.prepare(assignment, notebook, limits, accept_open)
        self.check_kernel(nb.metadata.get("kernelspec") or {})
        return self._engine.submit(Work(student, f"{assignment}/{notebook}", compact(nb), Path(folder)))

    @contextmanager
    def handed_in(self, assignment: str, folder: str | Path) -> Iterator[Path]:
        """A copy of a folder without the assignment's notebooks: they hold hidden tests, which no session is to read."""
        with tempfile.TemporaryDirectory(prefix="handed-in-") as beside:
            copy_files(Path(folder), Path(beside), leave_out=frozenset(self.gradebook.source(assignment).notebooks))
            yield Path(beside)

    def check_kernel(self, kernelspec: dict) -> None:
        """Raise ValueError unless a notebook asks for Python, by a name that is installed here."""
        name = kernelspec.get("name", "python3")
        if name in ("python", "python3"):
            return
        try:
            language = self._kernels.get_kernel_spec(name).language
        except NoSuchKernel:
            raise ValueError(f"it asks for the kernel {name!r}, which is not installed: `jupyter kernelspec list` "
                             "names those that are.") from None
        if language.lower() != "python":
            raise ValueError(f"it asks for a {language} kernel, and the engine runs Python: grade this assignment with "
                             "`nbgrader autograde` and nbgrader's own Execute.")

    def write_files(self, execution: GradedExecution, assignment: str, folder: str | Path) -> None:
        """Put what a session wrote where nbgrader would have left it, but for notebooks, their reports and timestamps."""
        kept = {"timestamp.txt"} | {f"{name}.html" for name in self.gradebook.source(assignment).notebooks}
        for name, content in execution.files:
            path = PurePosixPath(name)
            if path.suffix != ".ipynb" and str(path) not in kept:
                _write_beside(Path(folder), path, content)

    def close(self) -> None:
        if self._engine is not None and not self._keep_warm:
            self._engine.close()
        self._engine = None


def _write_beside(folder: Path, path: PurePosixPath, content: bytes) -> None:
    target = folder / path
    if ".." in path.parts or not path.parts or not target.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"a session named a file outside its folder: {str(path)!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644), "wb") as file:
        file.write(content)


def copy_files(source: Path, target: Path, leave_out: frozenset[str] = frozenset()) -> None:
    """Copy a folder's ordinary files, without links, devices and the notebooks named in `leave_out`."""
    for folder, _, files in os.walk(source):
        for name in files:
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file() or (path.suffix == ".ipynb" and path.stem in leave_out):
                continue
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
