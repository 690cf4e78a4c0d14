"""Submissions into submitted/STUDENT/ASSIGNMENT: each appears whole or not at all, and what it
replaces is kept.

A resubmission replaces the earlier one, which moves to submitted_earlier/STUDENT/ASSIGNMENT/TIME,
where nbgrader does not look. Its time stamp is always later than the one it replaces: by that
nbgrader knows that it has to be graded again.
"""

import filecmp
import os
import shutil
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nbgrader.utils import parse_utc

from nbseal.course import Course
from nbseal.files import write_whole
from nbseal.intake.collect.content import TIMESTAMP
from nbseal.lms import origins


@dataclass(frozen=True)
class Submission:
    """What one student handed in."""

    student: str
    files: dict[str, Path]  # name in the submission's folder -> where its bytes are
    timestamp: datetime
    notes: tuple[str, ...] = ()
    origin: origins.Origin = field(default_factory=origins.Origin)


def destination(course: Course, assignment: str, student: str) -> Path:
    return course.folder("submitted", student, assignment)


def what_to_do(course: Course, assignment: str, submission: Submission) -> str:
    """`new`, `unchanged`, `timed` where only a better time is known now, `replaces` an earlier one,
    or `older` than the one that is there."""
    there = destination(course, assignment, submission.student)
    if not there.exists():
        return "new"
    is_better = _is_better_timed(course, assignment, submission)
    if _same(there, submission):
        differs = submission.timestamp != time_of(there)
        return "timed" if is_better and differs else "unchanged"
    # the time of a file says nothing against that of a learning management system
    return "older" if submission.timestamp < time_of(there) and not is_better else "replaces"


def file_away(course: Course, assignment: str, submission: Submission, area: Path) -> str:
    """Do it, staging in `area` on the same file system; returns what was done, as `what_to_do`."""
    doing = what_to_do(course, assignment, submission)
    there = destination(course, assignment, submission.student)
    timestamp = submission.timestamp
    if doing == "timed":
        set_time(course, assignment, submission.student, timestamp)
    if doing in ("unchanged", "timed"):
        _keep_origin(course, assignment, submission)
        return doing
    if doing == "replaces" and _is_better_timed(course, assignment, submission):
        # the time of what it replaces was none: to be graded again, it has to be later all the same
        set_time(course, assignment, submission.student, timestamp - timedelta(seconds=1))
    elif doing == "replaces":
        timestamp = max(timestamp, time_of(there) + timedelta(seconds=1))
    staged = _stage(submission, timestamp, area / submission.student)
    if doing == "older":
        _move(staged, _earlier(course, assignment, submission.student, timestamp))
        return doing
    if doing == "replaces":
        before = time_of(there)
        _date_result(course, assignment, submission.student, before)
        _move(there, _earlier(course, assignment, submission.student, before))
    _move(staged, there)
    origins.keep(course.root, assignment, submission.student, submission.origin)
    return doing


def _keep_origin(course: Course, assignment: str, submission: Submission) -> None:
    """Of what was there before: a folder of files knows less than the download they are from."""
    kept = origins.kept(course.root, assignment, submission.student)
    if submission.origin.system or kept is None:
        timed = submission.origin.is_timed or (kept is not None and kept.is_timed)
        origin = replace(submission.origin, is_timed=timed)
        origins.keep(course.root, assignment, submission.student, origin)


def _is_better_timed(course: Course, assignment: str, submission: Submission) -> bool:
    """Whether only the time of the new one is that of a learning management system."""
    kept = origins.kept(course.root, assignment, submission.student)
    return submission.origin.is_timed and kept is not None and not kept.is_timed


def set_time(course: Course, assignment: str, student: str, timestamp: datetime) -> None:
    """Write another time into a submission, and into its result: by these two nbgrader tells
    whether it has to be graded again."""
    for step in ("submitted", "autograded"):
        folder = course.folder(step, student, assignment)
        if folder.is_dir():
            write_whole(folder / TIMESTAMP, _written(timestamp) + "\n")


def time_of(folder: Path) -> datetime:
    """When a submission was handed in: nbgrader's time stamp, else the time of its newest file."""
    try:
        found = parse_utc((folder / TIMESTAMP).read_text(encoding="utf-8").strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (OSError, ValueError, OverflowError, UnicodeDecodeError, AttributeError):
        newest = max(
            (path.stat().st_mtime for path in folder.rglob("*") if path.is_file()),
            default=folder.stat().st_mtime,
        )
        return datetime.fromtimestamp(newest, UTC)


def _same(folder: Path, submission: Submission) -> bool:
    there = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    there.pop(TIMESTAMP, None)
    return there.keys() == submission.files.keys() and all(
        filecmp.cmp(there[name], content, shallow=False)
        for name, content in submission.files.items()
    )


def _stage(submission: Submission, timestamp: datetime, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, content in submission.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(content, folder / name)
    (folder / TIMESTAMP).write_text(_written(timestamp) + "\n", encoding="utf-8")
    return folder


def _written(timestamp: datetime) -> str:
    return timestamp.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def _earlier(course: Course, assignment: str, student: str, timestamp: datetime) -> Path:
    """A name that is not taken yet."""
    name = timestamp.astimezone(UTC).strftime("%Y-%m-%d_%H-%M-%S")
    folder = course.earlier / student / assignment
    names = (folder / f"{name}{f'_{number}' if number else ''}" for number in range(10**6))
    return next(path for path in names if not path.exists())


def _date_result(course: Course, assignment: str, student: str, before: datetime) -> None:
    """nbgrader grades again what is newer than the result, and a result without a time is never
    old."""
    result = course.folder("autograded", student, assignment)
    if result.is_dir() and not (result / TIMESTAMP).exists():
        (result / TIMESTAMP).write_text(_written(before) + "\n", encoding="utf-8")


def _move(folder: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(folder, target)
