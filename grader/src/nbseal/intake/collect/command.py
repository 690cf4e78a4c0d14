"""One run of `collect`: read, sort, file, report."""

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbseal import folders
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect.archives import Found, files_in
from nbseal.intake.collect.filing import file_away, what_to_do
from nbseal.intake.collect.naming import Name
from nbseal.intake.collect.owners import Owners, read_mapping
from nbseal.intake.collect.sorting import Submission, sort
from nbseal.lms import tables
from nbseal.lms.origins import in_time
from nbseal.lms.roster import Roster, has_gradebook

SAID = {
    "new": "new",
    "unchanged": "is there already",
    "timed": "is there already, and has its system's own time now",
    "replaces": "replaces an earlier one, kept in {earlier}/",
    "older": "is older than the one that is there: put into {earlier}/",
}


@dataclass
class Outcome:
    """What was done, or would be: submissions with `new`, `unchanged`, `replaces` or `older`, and
    what was left out."""

    assignment: str
    earlier: str = "submitted_earlier"  # the folder of what was replaced
    done: list[tuple[Submission, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unknown: list[PurePosixPath] = field(default_factory=list)
    # not among the students of the gradebook, and not filed
    strangers: list[str] = field(default_factory=list)
    is_unchecked: bool = False  # there is nobody in the gradebook to compare names with


def collect(
    course: Course,
    assignment: str,
    paths: list[Path],
    mapping: Path | None = None,
    *,
    dry_run: bool = False,
    allow_unknown: bool = False,
    prefer_own: bool = False,
    table: Path | None = None,
) -> Outcome:
    """Put what is in `paths` into submitted/. Raises CourseError where nothing can be collected at
    all.

    allow_unknown: file also what students hand in whom the gradebook does not have; prefer_own:
    what a member of a team handed in alone counts before the team's; table: Moodle's grading
    worksheet or Canvas's gradebook, which say who has which number, and Moodle's when work came in.
    """
    notebooks = _notebooks(course, assignment)
    outcome = Outcome(assignment, course.earlier.name)
    students = read_mapping(mapping)
    roster, due = Roster.of(course.coursedir), _due(course, assignment)
    people = tables.read(table).people(roster) if table else []
    submitted = course.folder("submitted")
    with tempfile.TemporaryDirectory(prefix="collect-") as unpacked:
        files: list[Found] = []
        for path in paths:
            files += files_in(path, Path(unpacked), outcome.refused)
        owners = Owners(files, students, roster, people)
        named = _named_by_course(course, notebooks)
        found = sort(files, assignment, notebooks, owners, named, prefer_own)
        outcome.unknown = found.unknown
        outcome.is_unchecked = not roster.ids
        if roster.ids and not allow_unknown:
            outcome.strangers = [
                one.student for one in found.submissions if one.student not in roster.ids
            ]
        with nullcontext() if dry_run else folders.staging_area(submitted) as area:
            for submission in found.submissions:
                if submission.student in outcome.strangers:
                    continue
                submission = replace(
                    submission, timestamp=in_time(submission.origin, submission.timestamp, due)
                )
                doing = (
                    what_to_do(course, assignment, submission)
                    if area is None
                    else file_away(course, assignment, submission, area)
                )
                outcome.done.append((submission, doing))
    if not (outcome.done or outcome.refused or outcome.unknown or outcome.strangers):
        raise CourseError(f"no notebook was found in {', '.join(map(str, paths))}.")
    return outcome


def _notebooks(course: Course, assignment: str) -> list[str]:
    return [path.stem for path in course.source_notebooks(assignment)]


def _due(course: Course, assignment: str) -> datetime | None:
    """When an assignment is due, by the gradebook; None where it does not say."""
    from nbgrader.api import Gradebook, MissingEntry

    if not has_gradebook(course.coursedir):
        return None
    with Gradebook(course.coursedir.db_url, course.coursedir.course_id) as gradebook:
        try:
            due = gradebook.find_assignment(assignment).duedate
        except MissingEntry:
            return None
    return due.replace(tzinfo=UTC) if due is not None else None


def _named_by_course(
    course: Course, notebooks: list[str]
) -> Callable[[PurePosixPath], Name | None]:
    """How the course's nbgrader_config.py reads file names, if it says so, by
    `c.FileNameCollectorPlugin.named_regexp`, as for `nbgrader zip_collect`."""
    from nbgrader.plugins import FileNameCollectorPlugin

    plugin = FileNameCollectorPlugin(config=course.config)

    def named(path: PurePosixPath) -> Name | None:
        if not plugin.named_regexp:
            return None
        found = plugin.collect(str(path))
        if not found or not found.get("student_id"):
            return None
        stem = PurePosixPath(found.get("file_id") or path.name).name.removesuffix(".ipynb")
        return Name(found["student_id"], stem if stem in notebooks else None)

    return named


def report(outcome: Outcome, dry_run: bool) -> None:
    """One line for each submission in a dry run, else for those with something to say; then the
    counts."""
    for submission, doing in outcome.done:
        if dry_run or submission.notes or doing in ("replaces", "older", "timed"):
            print(
                f"{submission.student}: "
                f"{'; '.join([SAID[doing].format(earlier=outcome.earlier), *submission.notes])}"
                + (
                    f" ({', '.join(sorted(submission.files))}; "
                    f"{submission.timestamp:%Y-%m-%d %H:%M} UTC)"
                    if dry_run
                    else ""
                )
            )
    for reason in outcome.refused:
        print(f"left out: {reason}")
    for path in outcome.unknown:
        print(f"whose is it? {path}")
    if outcome.unknown:
        print(
            "Say whose in a file of lines `file-or-folder,student`, such as "
            f"`{outcome.unknown[0]},ada`, and name it with --students."
        )
    if outcome.strangers:
        shown = ", ".join(outcome.strangers[:5]) + (
            f" and {len(outcome.strangers) - 5} more" if len(outcome.strangers) > 5 else ""
        )
        print(
            f"not among the students of the gradebook, and left out: {shown}. Add who is new with "
            "`nbgrader db student add ID`, say who they are with --students, or file them all the "
            "same with --allow-unknown."
        )
    if outcome.is_unchecked and outcome.done:
        print(
            "The gradebook has no students yet, so that ids were made of names: where yours are "
            "others, `nbgrader db student import` them, and collect again."
        )
    counts = Counter(doing for _, doing in outcome.done)
    parts = [
        f"{counts[doing]} {word}"
        for doing, word in (
            ("new", "new"),
            ("replaces", "resubmitted"),
            ("timed", "with a better time"),
            ("unchanged", "unchanged"),
            ("older", "older"),
        )
        if counts[doing]
    ]
    parts += [f"{len(outcome.refused)} left out"] * bool(outcome.refused) + [
        f"{len(outcome.unknown)} of nobody"
    ] * bool(outcome.unknown)
    parts += [f"{len(outcome.strangers)} of strangers"] * bool(outcome.strangers)
    print(
        f"{outcome.assignment}: "
        f"{', '.join(parts) or 'nothing'}{' (dry run: nothing was written)' if dry_run else ''}"
    )
