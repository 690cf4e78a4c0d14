"""What lies in the folder that one student handed in, and when it was handed in."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from nbseal import folders
from nbseal.autograde.bench import Bench
from nbseal.intake.damage import Damaged
from nbseal.lms.origins import team_of
from nbseal.nbgrader_internals import NotATime, source_of, timestamp_of

NO_TIME = "the time in timestamp.txt is not a time"
MOST_NAMED = 5  # files of one submission that a warning names


@dataclass(frozen=True)
class HandedIn:
    """The notebooks of an assignment, as far as they were handed in."""

    assignment: str
    folder: Path
    paths: list[str]  # of the notebooks that are graded, as they should be called
    missing: list[str]  # notebooks of the assignment that are not there
    timestamp: datetime | None
    is_timeless: bool  # the time when it was handed in cannot be read
    doubts: list[str]  # what a person must look at
    files: list[str]  # what is copied beside the notebooks: paths in the folder
    # what a notebook should be called -> the only file that can be it
    renamed: dict[str, str] = field(default_factory=dict)
    team: tuple[str, ...] = ()  # all who handed in together, where several did

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
        _say(bench, "Skipping unknown notebook: %s", unknown)
        _say(bench, "No submitted file: %s", [str(folder / f"{name}.ipynb") for name in missing])
        left = set(paths) - set(unknown) - set(renamed.values())
        graded = sorted([*left, *renamed])
        if not graded:
            raise Damaged(
                "No notebook of this assignment was handed in: they are called "
                f"{', '.join(f'{name}.ipynb' for name in known)}."
            )
        when, timeless = _time(bench, folder)
        files, too_much = _beside(bench, folder, known)
        doubts = [*[f"{NO_TIME}: it was graded as if it had come in time."] * timeless, *too_much]
        team = team_of(Path(bench.course.coursedir.root), assignment, student)
        return cls(
            assignment,
            folder,
            graded,
            missing,
            when,
            timeless,
            doubts,
            files,
            renamed,
            team if len(team) > 1 else (),
        )

    @cached_property
    def same_for_team(self) -> tuple[str, ...] | None:
        """What is equal for members of a team who have the same files here, and for nobody else;
        None where nobody handed in with others."""
        if not self.team:
            return None
        digest = hashlib.sha256()
        names = [os.path.relpath(self.file_of(path), self.folder) for path in self.paths]
        for name in sorted({*names, *self.files}):
            content = hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
            digest.update(f"{name}\0{content}\n".encode())
        return (*self.team, digest.hexdigest())

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
        folders.copy_named(self.folder, self.files, folder)
        theirs = {
            os.path.normpath(name)
            for name in converter.exclude_overwriting.get(self.assignment, ())
        }
        given = _ordinary_files(bench, instructors, False)[0] if instructors.is_dir() else {}
        folders.copy_named(instructors, [name for name in given if name not in theirs], folder)
        if self.is_timeless:
            # nbgrader's other commands would stop at it
            folders.remove(folder / "timestamp.txt")


def _time(bench: Bench, folder: Path) -> tuple[datetime | None, bool]:
    """When a folder was handed in, and whether that cannot be read."""
    try:
        return timestamp_of(bench.course.coursedir, folder), False
    except NotATime:
        return None, True


def _beside(bench: Bench, folder: Path, notebooks: list[str]) -> tuple[list[str], list[str]]:
    """The files that go with the notebooks; where there are too many none of them, and why."""
    execute = bench.chain.execute
    room = execute.settings().limits.scratch_bytes if execute is not None else None
    try:
        files, left_out = _ordinary_files(bench, folder)
        if room is not None and sum(files.values()) > room:
            raise folders.TooMuch(
                f"It holds more than {room >> 20:,} MB beside its notebooks "
                "(scratch_bytes in c.SealedExecute.limits)."
            )
    except folders.TooMuch as error:
        bench.log.warning("%s: %s", folder, error)
        return [], [f"{error} It was graded without any of these files."]
    kept = [
        name
        for name in files
        if not any(folders.is_anothers(part, notebooks) for part in Path(name).parts)
    ]
    _say(bench, "Leaving out %s: it is no file that can be read, or a link elsewhere", left_out)
    return kept, []


def _ordinary_files(
    bench: Bench, folder: Path, bounded: bool = True
) -> tuple[dict[str, int], list[str]]:
    ignore = [*bench.course.coursedir.ignore, "*.ipynb"]
    return folders.ordinary_files(folder, ignore, bounded)


def _say(bench: Bench, sentence: str, names: list[str]) -> None:
    for name in names[:MOST_NAMED]:
        bench.log.warning(sentence, name)
    if len(names) > MOST_NAMED:
        bench.log.warning("... and %d more", len(names) - MOST_NAMED)
