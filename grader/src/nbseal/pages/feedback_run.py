"""nbgrader's GenerateFeedback for a class: pages are made in processes beside each other, and only
those whose notebook, scores, comments or template changed."""

from __future__ import annotations

import errno
import os
import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateFeedback
from traitlets import Integer

from nbseal import folders
from nbseal.apart import Apart, Raised, TooMuch
from nbseal.errors import CourseError
from nbseal.interrupts import held_back
from nbseal.nbgrader_internals import OneSubmission, names_of, results_of, source_of
from nbseal.notebook.text import plain
from nbseal.pages.feedback_grades import Given, read_given
from nbseal.pages.feedback_making import Making
from nbseal.pages.feedback_progress import shown
from nbseal.pages.feedback_record import Record, about, files_below, made_by, made_from, place_of

# Errors of a submission's own, as a folder where a file should be; any other is the machine's.
OF_A_SUBMISSION = {errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}


@dataclass
class Pages:
    """The pages of one student."""

    student: str
    assignment: str
    notebooks: list[str]  # paths of autograded notebooks
    destination: Path
    record: Path
    wanted: dict[str, str] = field(default_factory=dict)  # page -> what it is to be made from
    given: dict[str, Given] = field(default_factory=dict)  # notebook -> what the gradebook says


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
        self._failed: dict[str, str] = {}
        with Gradebook(self.coursedir.db_url) as gradebook:
            try:
                given = read_given(gradebook, self.coursedir.assignment_id)
            except MissingEntry as error:
                raise CourseError(str(error)) from None
        making = Making(self)
        version = made_by(making.exporter, self.config, self.preprocessors)
        found = [pages for path in sorted(self.assignments) for pages in self._found(path)]
        changed = [pages for pages in found if self._is_to_be_made(pages, given, version)]
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
        if student in self.coursedir.student_id_exclude.split(","):
            return
        yield Pages(
            student,
            assignment,
            sorted(self.assignments[path]),
            Path(os.path.normpath(results_of(self, assignment, student))),
            place_of(Path(self.coursedir.root), assignment, student),
        )

    def _is_to_be_made(self, pages: Pages, given: dict, version: str) -> bool:
        """Whether anything changed since they were made, or is not known."""
        handed_in = Path(
            self.coursedir.format_path(
                self.coursedir.submitted_directory, pages.student, pages.assignment
            )
        )
        beside = [
            [name, about(folder / name)]
            for folder in (source_of(self, pages.assignment, pages.student), handed_in)
            for name in files_below(folder)
            if not name.endswith(".ipynb")
        ]
        for path in map(Path, pages.notebooks):
            known = given.get((pages.student, path.stem))
            if known is None:
                self._give_up(pages, f"the gradebook has no scores of {path.name}")
                return False
            pages.given[str(path)] = known
            pages.wanted[f"{path.stem}.html"] = made_from(version, path, known, beside)
        record = Record.read(pages.record)
        same = all(record.pages.get(page) == wanted for page, wanted in pages.wanted.items())
        return self.force or not same or not record.is_intact(pages.destination)

    def _make(self, making: Making, changed: list[Pages]) -> None:
        """Make pages, and put each student's where they belong as they come."""
        results = Path(os.path.normpath(results_of(self, ".", ".")))
        count = min(self.workers, len(changed))
        with folders.staging_area(results) as area, _processes(making, count) as processes:
            threads = ThreadPoolExecutor(count)

            def ask(number: int, pages: Pages) -> dict:
                process = processes.get()
                try:
                    return process.ask("make", _request(pages, area / str(number)))
                finally:
                    processes.put(process)

            def begin(number: int, pages: Pages) -> Future:
                OneSubmission(self, pages.notebooks).before()
                return threads.submit(ask, number, pages)

            try:
                begun = {begin(n, pages): (n, pages) for n, pages in enumerate(changed)}
                for future in shown(as_completed(begun), len(begun), "feedback"):
                    number, pages = begun[future]
                    self._finish(pages, area / str(number), future)
            finally:
                threads.shutdown(cancel_futures=True)

    @held_back()
    def _finish(self, pages: Pages, folder: Path, future: Future) -> None:
        """Move what was made to where it belongs, and note what it was made from."""
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
        names = files_below(folder)
        before, is_all = Record.read(pages.record), self.coursedir.notebook_id == "*"
        if self.force and is_all and pages.destination.exists():
            before.files |= {name: [] for name in files_below(pages.destination)}
        folders.move_over(folder, pages.destination, names)
        after = Record(pages.wanted) if is_all else Record(before.pages | pages.wanted)
        if is_all:
            for name in set(before.files) - set(names):
                folders.remove(pages.destination / name)
        else:
            names = [*names, *before.files]
        after.files = {name: about(pages.destination / name) for name in names}
        after.write(pages.record)
        OneSubmission(self, pages.notebooks).after()

    def _give_up(self, pages: Pages, why: str) -> None:
        """Return nothing: what was returned before may say what is not so any more."""
        self._failed[pages.student] = why
        self.log.error("%s: %s", plain(pages.student), plain(why))
        pages.record.unlink(missing_ok=True)
        folders.withdraw(pages.destination, [f"{Path(path).stem}.html" for path in pages.notebooks])


def _request(pages: Pages, folder: Path) -> dict:
    return {
        "student": pages.student,
        "assignment": pages.assignment,
        "folder": str(folder),
        "notebooks": pages.given,
    }


@contextmanager
def _processes(making: Making, count: int) -> Iterator[queue.SimpleQueue]:
    """Processes that make pages, all of them idle."""
    idle: queue.SimpleQueue = queue.SimpleQueue()
    processes = [Apart({"make": making.make, "ready": making.ready}) for _ in range(count)]
    try:
        for process in processes:
            process.ask("ready", {})  # begins it, while there is no thread that could hold a lock
            idle.put(process)
        yield idle
    finally:
        for process in processes:
            process.close()
