"""What lies in the folder that one student handed in, and when it was handed in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbseal import folders
from nbseal.autograde.bench import Bench
from nbseal.intake.damage import Damaged
from nbseal.nbgrader_internals import NotATime, source_of, timestamp_of

NO_TIME = "the time in timestamp.txt is not a time"


@dataclass(frozen=True)
class HandedIn:
    """The notebooks of an assignment, as far as they were handed in."""

    assignment: str
    folder: Path
    paths: list[str]  # of the notebooks that are graded, as they should be called
    missing: list[str]  # notebooks of the assignment that are not there
    timestamp: datetime | None
    doubts: list[str]  # what a person must look at
    # what a notebook should be called -> the only file that can be it
    renamed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, bench: Bench, paths: list[str], assignment: str, student: str) -> HandedIn:
        """Sort the notebooks found in a student's folder. Raises Damaged if none is of the
        assignment."""
        folder = source_of(bench.converter, assignment, student)
        paths = [path for path in paths if Path(path).stem not in bench.others]
        known = [
            name
            for name in bench.course.gradebook.source(assignment).notebooks
            if name not in bench.others
        ]
        unknown = [path for path in paths if Path(path).stem not in known]
        missing = [name for name in known if not (folder / f"{name}.ipynb").exists()]
        renamed = {}
        if len(unknown) == len(missing) == 1:  # "tasks (1).ipynb" can only be tasks.ipynb
            [there], [wanted] = unknown, missing
            renamed[str(folder / f"{wanted}.ipynb")] = there
            bench.log.warning("%s is taken as %s.ipynb", there, wanted)
            unknown, missing = [], []
        for path in unknown:
            bench.log.warning("Skipping unknown notebook: %s", path)
        for name in missing:
            bench.log.warning("No submitted file: %s", folder / f"{name}.ipynb")
        left = set(paths) - set(unknown) - set(renamed.values())
        graded = sorted([*left, *renamed])
        if not graded:
            raise Damaged(
                "No notebook of this assignment was handed in: they are called "
                f"{', '.join(f'{name}.ipynb' for name in known)}."
            )
        when, doubts = _time(bench, folder)
        return cls(assignment, folder, graded, missing, when, doubts, renamed)

    def file_of(self, path: str) -> Path:
        """The file that was handed in as a notebook."""
        return Path(self.renamed.get(path, path))

    def collect(self, bench: Bench, folder: Path) -> None:
        """Copy into a folder what lies beside the notebooks, and over it the instructor's files."""
        coursedir, converter = bench.course.coursedir, bench.converter
        instructors = Path(
            os.path.normpath(
                coursedir.format_path(coursedir.source_directory, ".", self.assignment)
            )
        )
        folders.collect(self.folder, folder, coursedir.ignore, bench.log)
        theirs = converter.exclude_overwriting.get(self.assignment, ())
        folders.collect(instructors, folder, coursedir.ignore, bench.log, theirs)
        if self.doubts:
            # nbgrader's other commands would stop at it
            (folder / "timestamp.txt").unlink(missing_ok=True)


def _time(bench: Bench, folder: Path) -> tuple[datetime | None, list[str]]:
    try:
        return timestamp_of(bench.course.coursedir, folder), []
    except NotATime:
        return None, [f"{NO_TIME}: it was graded as if it had come in time."]
