"""nbgrader's GenerateFeedback for a class: pages are made in processes beside each other, and only
those whose notebook, scores, comments or configuration changed."""

from __future__ import annotations

import errno
import gc
import hashlib
import json
import logging
import os
import queue
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import GenerateFeedbackApp
from nbgrader.converters import GenerateFeedback, NbGraderException
from rich.console import Console
from rich.progress import track
from traitlets import Integer, default
from traitlets.config import Config

from nbseal import folders
from nbseal.apart import Apart, Raised, TooMuch
from nbseal.configure import configure
from nbseal.errors import CourseError
from nbseal.files import write_whole
from nbseal.interrupts import held_back
from nbseal.nbgrader_internals import (
    OneSubmission,
    names_of,
    results_of,
    source_of,
    start_application,
    take_assignment,
)
from nbseal.notebook.text import plain
from nbseal.pages.feedback_making import Making, program_of
from nbseal.pages.feedback_page import TEMPLATE
from nbseal.pages.grades import Given, read_given
from nbseal.view import PRIVATE

# Errors of a submission's own, as a folder where a file should be; any other is the machine's.
OF_A_SUBMISSION = {errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}


class FeedbackApp(GenerateFeedbackApp):
    """Reads configuration and arguments as `nbgrader generate_feedback` does, with the
    preprocessors of `configure` also where nbgrader_config.py does not call it."""

    @default("classes")
    def _classes_default(self):
        return [*super()._classes_default(), ParallelFeedback]

    @default("log_level")
    def _log_level_default(self) -> int:
        return logging.WARNING  # --log-level=INFO brings back nbgrader's lines

    def build_extra_config(self) -> Config:
        config = super().build_extra_config()
        configure(config)
        return config

    def start(self) -> None:
        """Write pages, and end the process with 1 if some could not be made."""
        gc.freeze()  # what has been imported is no garbage
        gc.set_threshold(50_000, 20, 20)
        start_application(self)
        take_assignment(self)
        try:
            ParallelFeedback(coursedir=self.coursedir, parent=self).start()
        except NbGraderException:
            sys.exit(1)


@dataclass
class Pages:
    """The pages of one student."""

    student: str
    assignment: str
    notebooks: list[str]  # paths of autograded notebooks
    destination: Path
    record: Path  # page -> what it was made from, its size and time of change
    wanted: dict[str, str] = field(default_factory=dict)  # page -> what it is to be made from
    given: dict[str, Given] = field(default_factory=dict)  # notebook -> what the gradebook says

    def recorded(self) -> dict[str, list]:
        """The record; empty where it cannot be read."""
        try:
            return dict(json.loads(self.record.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return {}

    def state(self, page: str) -> list:
        """What a page that is up to date has in the record."""
        return [self.wanted[page], *_about(self.destination / page)]


class ParallelFeedback(GenerateFeedback):
    """`nbgrader generate_feedback` on several workers. Everything configured for GenerateFeedback
    and BaseConverter applies; hooks that run before a submission run before the first page is
    made."""

    workers = Integer(
        min=1,
        help="How many pages are made at the same time; the number of processors if not given.",
    ).tag(config=True)

    def _workers_default(self) -> int:
        asked = getattr(os, "sched_getaffinity", None)
        return len(asked(0)) if asked else os.cpu_count() or 1

    def convert_notebooks(self) -> None:
        """Make the pages of all submissions that init_notebooks has found. Raises CourseError if
        some could not be made."""
        self._failed: set[str] = set()
        with Gradebook(self.coursedir.db_url) as gradebook:
            try:
                given = read_given(gradebook, self.coursedir.assignment_id)
            except MissingEntry as error:
                raise CourseError(str(error)) from None
        making = Making(self)
        # a template of the course's own may build on others, and is always filled in again
        self._all = self.force or making.exporter.template_name != TEMPLATE
        program = program_of(self)
        found = [pages for path in sorted(self.assignments) for pages in self._found(path)]
        changed = [pages for pages in found if self._is_to_be_made(pages, given, program)]
        unchanged = len(found) - len(changed) - len(self._failed)
        if changed:
            self._make(making, changed)
        failed = len(self._failed)
        made = len(found) - unchanged - failed
        print(f"feedback: {made} written, {unchanged} unchanged, {failed} failed")
        if failed:
            raise CourseError(
                f"{failed} of {len(found)} students get no feedback, for the reasons above: "
                "autograde them again with --force, and run this once more."
            )

    def _found(self, path: str) -> Iterator[Pages]:
        names = names_of(self, os.path.join(path, "any.ipynb"))
        student, assignment = names["student"], names["assignment"]
        if student not in self.coursedir.student_id_exclude.split(","):
            yield Pages(
                student,
                assignment,
                sorted(self.assignments[path]),
                Path(os.path.normpath(results_of(self, assignment, student))),
                Path(self.coursedir.root, PRIVATE, "feedback", assignment, f"{student}.json"),
            )

    def _is_to_be_made(self, pages: Pages, given: dict, program: str) -> bool:
        """Whether anything changed since they were made, or is not known."""
        names = self.coursedir.submitted_directory, pages.student, pages.assignment
        handed_in = Path(self.coursedir.format_path(*names))
        beside = [
            [name, _about(folder / name)]
            for folder in (source_of(self, pages.assignment, pages.student), handed_in)
            for name in _files_below(folder)
            if not name.endswith(".ipynb")
        ]
        for path in map(Path, pages.notebooks):
            known = given.get((pages.student, path.stem))
            if known is None:
                self._give_up(pages, f"the gradebook has no scores of {path.name}")
                return False
            pages.given[str(path)] = known
            about = json.dumps([program, known, beside], sort_keys=True).encode()
            digest = hashlib.sha256(about + path.read_bytes())
            pages.wanted[f"{path.stem}.html"] = digest.hexdigest()
        recorded = pages.recorded()
        same = all(recorded.get(page) == pages.state(page) for page in pages.wanted)
        return self._all or not same

    def _make(self, making: Making, changed: list[Pages]) -> None:
        """Make pages, and put each student's where they belong as they come."""
        results = Path(os.path.normpath(results_of(self, ".", ".")))
        console, count = Console(stderr=True), min(self.workers, len(changed))
        with folders.staging_area(results) as area, ExitStack() as processes:
            idle: queue.SimpleQueue[Apart] = queue.SimpleQueue()
            for _ in range(count):
                process = Apart({"make": making.make, "ready": making.ready})
                processes.enter_context(closing(process))
                # begins it, while there is no thread that could hold a lock
                process.ask("ready", {})
                idle.put(process)
            threads = ThreadPoolExecutor(count)

            def ask(number: int, pages: Pages) -> None:
                process = idle.get()
                try:
                    request = {"student": pages.student, "assignment": pages.assignment}
                    place = {"folder": str(area / str(number)), "notebooks": pages.given}
                    process.ask("make", request | place)
                finally:
                    idle.put(process)

            begun: dict[Future, tuple[int, Pages]] = {}
            try:
                for number, pages in enumerate(changed):
                    OneSubmission(self, pages.notebooks).before()
                    begun[threads.submit(ask, number, pages)] = number, pages
                done = as_completed(begun)
                hidden = not console.is_terminal
                for future in track(done, "feedback", len(begun), console=console, disable=hidden):
                    number, pages = begun[future]
                    self._finish(pages, area / str(number), future)
            finally:
                threads.shutdown(cancel_futures=True)

    @held_back()
    def _finish(self, pages: Pages, folder: Path, future: Future) -> None:
        """Move what was made to where it belongs, then note what it was made from: who is
        interrupted between the two makes it once more."""
        try:
            future.result()
        except (TooMuch, Raised) as error:
            self._give_up(pages, str(error))
            return
        except OSError as error:
            if error.errno not in OF_A_SUBMISSION:
                raise
            self._give_up(pages, f"{error.filename}: {error.strerror}")
            return
        if self.force and self.coursedir.notebook_id == "*" and pages.destination.exists():
            for name in set(_files_below(pages.destination)) - set(_files_below(folder)):
                folders.remove(pages.destination / name)
        folders.move_over(folder, pages.destination, _files_below(folder))
        record = pages.recorded() | {page: pages.state(page) for page in pages.wanted}
        pages.record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(pages.record, json.dumps(record))
        OneSubmission(self, pages.notebooks).after()

    def _give_up(self, pages: Pages, why: str) -> None:
        """Return nothing: what was returned before may say what is not so any more."""
        self._failed.add(pages.student)
        self.log.error("%s: %s", plain(pages.student), plain(why))
        pages.record.unlink(missing_ok=True)
        folders.withdraw(pages.destination, [f"{Path(path).stem}.html" for path in pages.notebooks])


def _about(path: Path) -> list[int]:
    """Size and time of change of a file; empty where there is none."""
    try:
        stat = path.lstat()
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


def _files_below(folder: Path) -> list[str]:
    """The paths of all files in a folder, in order."""
    return sorted(
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
    )
