"""`nbseal due`: when an assignment is due, who was late, what that costs; runs nobody's code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from dateutil import parser

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect.filing import set_time, time_of
from nbseal.lms.origins import Origin, in_time, kept
from nbseal.lms.roster import has_gradebook
from nbseal.nbgrader_internals import checked_penalty

NEVER = "never"


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    when: Annotated[
        str | None,
        typer.Argument(
            help="When it is due, such as '2026-03-01 23:59', by this machine's clock unless it "
            "says `UTC` or `+01:00`; `never` for no date; as before if not given."
        ),
    ] = None,
    extend: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STUDENT=HOURS", help="How much later it is due for somebody; again for more."
        ),
    ] = None,
) -> None:
    """Set the date, and count again who is late, by the rule in nbgrader_config.py."""
    from nbgrader.api import Gradebook, MissingEntry  # takes a second to import

    course: Course = context.obj
    extensions = [_extension(text) for text in extend or ()]
    coursedir = course.coursedir
    if not has_gradebook(coursedir):
        raise CourseError(
            f"there is no gradebook yet: `nbgrader generate_assignment {assignment}` makes it."
        )
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            row = gradebook.find_assignment(assignment)
        except MissingEntry:
            raise CourseError(
                f"the gradebook knows no assignment {assignment!r}: "
                f"`nbgrader generate_assignment {assignment}` first."
            ) from None
        if when is not None:
            row.duedate = None if when == NEVER else _utc(when)
        submissions = {one.student_id: one for one in gradebook.assignment_submissions(assignment)}
        for student, hours in extensions:
            if student not in submissions:
                raise CourseError(
                    f"{student} has nothing graded in {assignment}: grade first, then extend."
                )
            submissions[student].extension = timedelta(hours=hours) if hours else None
        late = _count(course, assignment, row.duedate, submissions)
        gradebook.db.commit()
        _say(assignment, row.duedate, late, len(submissions))


def _count(
    course: Course, assignment: str, due: datetime | None, submissions: dict[str, Any]
) -> list[tuple[str, float, float]]:
    """Set times and penalties of submissions, as they are graded. Returns who is late, by how many
    seconds, and how many points that costs."""
    from nbgrader.preprocessors import AssignLatePenalties

    rule = AssignLatePenalties(config=course.config)
    rule.init_plugin()
    late = []
    for student, row in sorted(submissions.items()):
        row.timestamp = _time(course, assignment, student, due) or row.timestamp
        seconds = row.total_seconds_late if due is not None else 0.0
        for notebook in row.notebooks:
            penalty = None
            if seconds > 0:
                penalty = rule.plugin_inst.late_submission_penalty(student, notebook.score, seconds)
            notebook.late_submission_penalty = (
                None if penalty is None else checked_penalty(rule, notebook, penalty)
            )
        if seconds > 0:
            points = sum(one.late_submission_penalty or 0.0 for one in row.notebooks)
            late.append((student, seconds, points))
    return late


def _time(course: Course, assignment: str, student: str, due: datetime | None) -> datetime | None:
    """When a submission was handed in, as the gradebook keeps it: in UTC, without saying so."""
    folder = course.folder("submitted", student, assignment)
    if not folder.is_dir():
        return None
    time = time_of(folder)
    origin = kept(course.root, assignment, student) or Origin()
    known = in_time(origin, time, due.replace(tzinfo=UTC) if due is not None else None)
    if known != time:
        set_time(course, assignment, student, known)
    return known.replace(tzinfo=None)


def _utc(text: str) -> datetime:
    try:
        return parser.parse(text).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise CourseError(f"{text!r} is no time: write it like '2026-03-01 23:59'.") from None


def _extension(text: str) -> tuple[str, float]:
    student, sign, hours = text.rpartition("=")
    try:
        if sign and student and 0 <= float(hours) < 24 * 366:
            return student, float(hours)
    except ValueError:
        pass
    raise CourseError(f"--extend takes STUDENT=HOURS, such as ada=48, and not {text!r}.")


def _say(
    assignment: str, due: datetime | None, late: list[tuple[str, float, float]], count: int
) -> None:
    for student, seconds, points in late:
        cost = f"{points:g} points less" if points else "free"
        print(f"{student}: {_long(seconds)} late, {cost}")
    if due is None:
        print(f"{assignment} is due at no time.")
        return
    here = due.replace(tzinfo=UTC).astimezone()
    print(f"{assignment} is due at {here:%Y-%m-%d %H:%M %Z}: {len(late)} of {count} were late.")


def _long(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"
