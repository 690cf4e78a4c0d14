"""One run of `collect`: read, sort, file, report."""

import tempfile
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nbseal import folders
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect.archives import Found, files_in
from nbseal.intake.collect.filing import file_away, what_to_do
from nbseal.intake.collect.naming import Name, Roster
from nbseal.intake.collect.sorting import Submission, read_mapping, sort

SAID = {
    "new": "new",
    "unchanged": "is there already",
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


def collect(
    course: Course,
    assignment: str,
    paths: list[Path],
    mapping: Path | None = None,
    *,
    dry_run: bool = False,
    allow_unknown: bool = False,
    prefer_own: bool = False,
) -> Outcome:
    """Put what is in `paths` into submitted/. Raises CourseError where nothing can be collected at
    all.

    allow_unknown: file also what students hand in whom the gradebook does not have; prefer_own:
    what a member of a team handed in alone counts before the team's.
    """
    notebooks = _notebooks(course, assignment)
    outcome = Outcome(assignment, course.earlier.name)
    students = read_mapping(mapping)
    roster, named_by_plugin = _nbgrader(course, assignment, notebooks)
    submitted = course.folder("submitted")
    with tempfile.TemporaryDirectory(prefix="collect-") as unpacked:
        files: list[Found] = []
        for path in paths:
            files += files_in(path, Path(unpacked), outcome.refused)
        found = sort(files, assignment, notebooks, students, roster, named_by_plugin, prefer_own)
        outcome.unknown = found.unknown
        if roster.ids and not allow_unknown:
            outcome.strangers = [
                one.student for one in found.submissions if one.student not in roster.ids
            ]
        with nullcontext() if dry_run else folders.staging_area(submitted) as area:
            for submission in found.submissions:
                if submission.student in outcome.strangers:
                    continue
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


def _nbgrader(course: Course, assignment: str, notebooks: list[str]):
    """The gradebook's students, and how the course's nbgrader_config.py reads file names, if it
    says so."""
    from nbgrader.api import Gradebook
    from nbgrader.plugins import FileNameCollectorPlugin

    coursedir, people = course.coursedir, []
    if (
        not coursedir.db_url.startswith("sqlite:///")
        or Path(coursedir.db_url.removeprefix("sqlite:///")).is_file()
    ):
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
            people = [
                {
                    key: getattr(student, key)
                    for key in ("id", "first_name", "last_name", "email", "lms_user_id")
                }
                for student in gradebook.students
            ]
    plugin = FileNameCollectorPlugin(config=course.config)

    def named(path: PurePosixPath) -> Name | None:
        """By `c.FileNameCollectorPlugin.named_regexp`, as for `nbgrader zip_collect`."""
        if not plugin.named_regexp:
            return None
        found = plugin.collect(str(path))
        if not found or not found.get("student_id"):
            return None
        stem = PurePosixPath(found.get("file_id") or path.name).name.removesuffix(".ipynb")
        return Name(found["student_id"], stem if stem in notebooks else None)

    return Roster(people), named


def report(outcome: Outcome, dry_run: bool) -> None:
    """One line for each submission in a dry run, else for those with something to say; then the
    counts."""
    for submission, doing in outcome.done:
        if dry_run or submission.notes or doing in ("replaces", "older"):
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
    counts = Counter(doing for _, doing in outcome.done)
    parts = [
        f"{counts[doing]} {word}"
        for doing, word in (
            ("new", "new"),
            ("replaces", "resubmitted"),
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
