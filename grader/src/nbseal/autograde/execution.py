"""Handing notebooks to the engine, and bringing back what their sessions wrote.

Between nbgrader, which speaks of students and folders, and the engine, which knows neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from nbseal import folders
from nbseal.autograde.engines import Engines, EngineSettings
from nbseal.autograde.gradebook import OpenGradebook
from nbseal.autograde.source import SourceNotebooks, locked_cells
from nbseal.course import view
from nbseal.engine.engine import Engine
from nbseal.errors import CourseError
from nbseal.leftovers import OwnFolder
from nbseal.records import GradedExecution, Work


class Executions:
    """The engine of one run: started when the first notebook needs it, told once about each source
    notebook."""

    def __init__(
        self,
        coursedir: CourseDirectory,
        gradebook: OpenGradebook,
        sources: SourceNotebooks,
        engines: Engines,
    ):
        self.coursedir, self.gradebook = coursedir, gradebook
        self._sources, self._engines = sources, engines
        self._prepared: dict[tuple[str, str], Engine] = {}
        self._kernels = KernelSpecManager()

    def prepare(self, assignment: str, notebook: str, settings: EngineSettings) -> Engine:
        """Start the engine and make the answer key for one notebook, unless that is done. Raises
        CourseError where the course itself is the reason that nothing can be graded."""
        if (assignment, notebook) in self._prepared:
            return self._prepared[assignment, notebook]
        source = self.gradebook.source(assignment).notebooks[notebook]
        if source.kernelspec:
            try:
                self.check_kernel(source.kernelspec)
            except ValueError as error:
                raise CourseError(f"{assignment}/{notebook}.ipynb: {error}") from None
        course = view(self.coursedir, settings.course_files)
        started = self._engines.of(course, settings)
        folder = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment))
        try:
            started.engine.prepare(
                self._sources.read(assignment, notebook),
                locked_cells(source),
                name=_name(assignment, notebook),
                folder=folder if folder.is_dir() else None,
                full_marks=settings.full_marks,
                # the first submissions are executed meanwhile; a cluster is tried first
                wait=started.cluster is not None,
            )
        except CourseError:
            raise
        except Exception as error:  # ours or the course's fault, and no submission's
            raise CourseError(
                f"{assignment}/{notebook}.ipynb: its answer key could not be made "
                f"({type(error).__name__}: {error})."
            ) from error
        started.require_closed()
        self._prepared[assignment, notebook] = started.engine
        return started.engine

    def submit(
        self, names: dict[str, str], nb: NotebookNode, folder: Path, settings: EngineSettings
    ) -> Future[GradedExecution]:
        """Have a notebook executed beside the files in `folder`.

        names: its assignment, notebook and student, as nbgrader's resources have them. Raises
        ValueError for a kernel that is not Python.
        """
        engine = self.prepare(names["assignment"], names["notebook"], settings)
        self.check_kernel(nb.metadata.get("kernelspec") or {})
        name = _name(names["assignment"], names["notebook"])
        return engine.submit(Work(names["student"], name, nb, folder))

    @contextmanager
    def handed_in(self, assignment: str, folder: str | Path) -> Iterator[Path]:
        """A copy of a folder without the assignment's notebooks: they hold hidden tests, which no
        session is to read."""
        notebooks = frozenset(self.gradebook.source(assignment).notebooks)
        with OwnFolder().make("handed-in-") as beside:
            folders.copy_files(Path(folder), beside, leave_out=notebooks)
            yield beside

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
                f"it asks for the kernel {name!r}, which is not installed: "
                "`jupyter kernelspec list` names those that are."
            ) from None

    def other_languages(self, assignment: str) -> dict[str, str]:
        """The notebooks of an assignment that are left to nbgrader -> the sentence that says so.

        Raises CourseError where nothing else is left.
        """
        notebooks = self.gradebook.source(assignment).notebooks
        others: dict[str, str] = {}
        for name, source in notebooks.items():
            with suppress(ValueError):  # what cannot be told is said when the notebook is prepared
                language = self._language(source.kernelspec or {})
                if language.lower() != "python":
                    others[name] = (
                        f"{assignment}/{name}.ipynb is written in {language}, which nbseal leaves "
                        "to nbgrader: grade it, unconfined, with `GRADING_ENGINE=nbgrader nbgrader "
                        f"autograde {assignment} --notebook={name}`."
                    )
        if others and len(others) == len(notebooks):
            raise CourseError(" ".join(others.values()))
        return others

    def write_files(
        self, execution: GradedExecution, assignment: str, folder: str | Path
    ) -> list[str]:
        """Put what a session wrote where nbgrader would have left it. Returns what was left out,
        because it is not a session's to write."""
        notebooks = self.gradebook.source(assignment).notebooks
        return folders.write_session_files(execution.files, Path(folder), notebooks)


def _name(assignment: str, notebook: str) -> str:
    """What the engine calls a notebook."""
    return f"{assignment}/{notebook}"
