"""Handing notebooks to the engine, and bringing back what their sessions wrote.

Between nbgrader, which speaks of students and folders, and the engine, which knows neither.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from nbseal import folders
from nbseal.autograde.gradebook import OpenGradebook
from nbseal.autograde.source import SourceNotebooks, locked_cells
from nbseal.confine import require_closed
from nbseal.course import view
from nbseal.engine.cluster import Cluster
from nbseal.engine.engine import Engine
from nbseal.engine.orders import Elsewhere
from nbseal.engine.zygote import Zygote
from nbseal.errors import CourseError
from nbseal.leftovers import OwnFolder
from nbseal.notebook.notes import OURS
from nbseal.records import Answers, GradedExecution, Limits, Work
from nbseal.view import CourseView


@dataclass(frozen=True)
class EngineSettings:
    """What a course configures of its engine; see SealedExecute."""

    limits: Limits = field(default_factory=Limits)
    accept_open: frozenset[str] = frozenset()
    executor: Callable[[], Executor] | None = None  # makes one; None for workers of this machine
    course_files: tuple[str, ...] = ()  # what every notebook may read of the course's folder
    full_marks: bool = True  # whether the instructor's own solution must get them
    cluster: str | None = None  # the address of one; None for workers of this machine


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


class StartedEngine:
    """An engine, and the trial of this host's boundaries, which goes on while it warms up. With a
    cluster no submission runs here: its machines try theirs."""

    def __init__(
        self,
        course: CourseView,
        settings: EngineSettings,
        workers: int,
        zygote: Zygote | None = None,
        elsewhere: Elsewhere | None = None,
    ):
        self._executor = settings.executor() if settings.executor else None
        cluster = Cluster(settings.cluster) if settings.cluster and not elsewhere else None
        self.elsewhere = elsewhere or cluster
        self._trial: Future[None] = Future()
        if cluster:
            self._trial.set_result(None)
        else:
            threading.Thread(target=self._try, args=(settings.accept_open,), daemon=True).start()
        self.engine = Engine(
            course,
            workers=workers,
            limits=settings.limits,
            accept_open=settings.accept_open,
            executor=self._executor,
            elsewhere=self.elsewhere,
            zygote=zygote,
        )

    def _try(self, accept_open: frozenset[str]) -> None:
        try:
            require_closed(accept_open)
            self._trial.set_result(None)
        except BaseException as error:
            self._trial.set_exception(error)

    def require_closed(self) -> None:
        """Raise CourseError if this host leaves a boundary open that is not accepted."""
        self._trial.result()

    def close(self) -> None:
        self.engine.close()
        if self._executor is not None:  # made for this engine
            self._executor.shutdown(wait=False)
        if self.elsewhere is not None:
            self.elsewhere.close()


class Engines:
    """The engines of one process or one run, each started when it is first needed. Whoever makes
    this closes it."""

    def __init__(
        self, workers: int, zygote: Zygote | None = None, elsewhere: Elsewhere | None = None
    ):
        """zygote: one that was started ahead, for the first engine; elsewhere: where submissions
        are executed, whatever the course says."""
        self._workers, self._zygote, self._given = workers, zygote, elsewhere
        self._started: dict[tuple[CourseView, EngineSettings], StartedEngine] = {}

    def of(self, course: CourseView, settings: EngineSettings) -> StartedEngine:
        """The engine of a course, warm if there is one; a new one where its cluster was lost."""
        old = self._started.get((course, settings))
        if old is not None and old.elsewhere is not None and old.elsewhere.gone is not None:
            self._started.pop((course, settings)).close()
        if (course, settings) not in self._started:
            zygote, self._zygote = self._zygote, None
            engine = StartedEngine(course, settings, self._workers, zygote, self._given)
            self._started[course, settings] = engine
        return self._started[course, settings]

    @property
    def workers(self) -> int:
        """How many submissions are executed at the same time, as far as is known now."""
        return max([self._workers, *(one.workers for one in self._elsewhere())])

    @property
    def machines(self) -> str:
        """What a cluster has now, in words; nothing where there is none."""
        return ", ".join(one.said for one in self._elsewhere() if one.said)

    def _elsewhere(self) -> list[Elsewhere]:
        return [one.elsewhere for one in self._started.values() if one.elsewhere is not None]

    def close(self) -> None:
        while self._started:
            self._started.popitem()[1].close()
        if self._zygote is not None:
            self._zygote.abandon()

    def __enter__(self) -> Engines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
        self._prepared: dict[tuple[str, str, str | None], Engine] = {}
        self._kernels = KernelSpecManager()

    def prepare(
        self, assignment: str, notebook: str, settings: EngineSettings, key: str | None = None
    ) -> Engine:
        """Start the engine and make the answer key for one notebook, unless that is done.

        key: of an earlier run, whose answers are to be judged; a fresh one if not given. Raises
        CourseError where the course itself is the reason that nothing can be graded.
        """
        if (assignment, notebook, key) in self._prepared:
            return self._prepared[assignment, notebook, key]
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
                name=_name(assignment, notebook, key),
                key=key or self._key_of(started, assignment, notebook),
                folder=folder if folder.is_dir() else None,
                full_marks=settings.full_marks,
            )
        except CourseError:
            raise
        except Exception as error:  # ours or the course's fault, and no submission's
            raise CourseError(
                f"{assignment}/{notebook}.ipynb: its answer key could not be made "
                f"({type(error).__name__}: {error})."
            ) from error
        started.require_closed()
        self._prepared[assignment, notebook, key] = started.engine
        return started.engine

    @staticmethod
    def _key_of(started: StartedEngine, assignment: str, notebook: str) -> str | None:
        name = _name(assignment, notebook)
        return started.elsewhere.key_of(name) if started.elsewhere else None

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

    def judge_again(
        self, engine: Engine, names: dict[str, str], nb: NotebookNode, answers: Answers
    ) -> GradedExecution:
        """Judge the answers that a notebook gave in an earlier run. engine: prepared with its
        key."""
        name = _name(names["assignment"], names["notebook"], answers.key)
        problem = (nb.metadata.get(OURS) or {}).get("problem")
        return engine.judge_again(Work(names["student"], name, nb), answers, problem)

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


def _name(assignment: str, notebook: str, key: str | None = None) -> str:
    """What the engine calls a notebook; under the key of an earlier run it is another one."""
    return f"{assignment}/{notebook}" + (f" of run {key}" if key else "")
