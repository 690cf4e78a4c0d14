"""One run of `collect`: cut downloads into uploads, tell whose they are, open and file each."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbseal import folders
from nbseal.apart import Apart, Raised, TooMuch
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.intake.collect.content import Content, arrange
from nbseal.intake.collect.filing import Submission, file_away, what_to_do
from nbseal.intake.collect.owners import Owners, Provenance, Team, provenance_of, read_mapping
from nbseal.intake.collect.unpacking import TASKS
from nbseal.intake.collect.uploads import Ask, Upload, uploads_in
from nbseal.lms import tables
from nbseal.lms.origins import in_time
from nbseal.lms.roster import Roster, has_gradebook
from nbseal.notebook.text import plain, some_of

SAID = {
    "new": "new",
    "unchanged": "is there already",
    "timed": "is there already, and has its system's own time now",
    "replaces": "replaces an earlier one, kept in {earlier}/",
    "older": "is older than the one that is there: put into {earlier}/",
}
COUNTED = {"new": "new", "replaces": "resubmitted", "timed": "with a better time"}
COUNTED |= {"unchanged": "unchanged", "older": "older"}
MOST_REASONS = 5  # sentences about one student's files
NEVER = datetime.min.replace(tzinfo=UTC)
Part = tuple[Upload, Provenance]


@dataclass
class Outcome:
    """What was done, or would be: submissions with `new`, `unchanged`, `replaces` or `older`, and
    what was left out."""

    assignment: str
    earlier: str = "submitted_earlier"  # the folder of what was replaced
    done: list[tuple[Submission, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # outermost names that name nobody
    # not among the students of the gradebook, and not filed
    strangers: list[str] = field(default_factory=list)
    is_unchecked: bool = False  # there is nobody in the gradebook to compare names with
    passed_over: int = 0  # loose files that are no notebook and nobody's


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
    notebooks = [path.stem for path in course.source_notebooks(assignment)]
    outcome = Outcome(assignment, course.earlier.name)
    roster, due = Roster.of(course.coursedir), _due(course, assignment)
    grades = tables.read(table) if table else None
    people, system = (grades.people(roster), grades.system) if grades else ([], "")
    owners = Owners(read_mapping(mapping), roster, people, system, _named_by(course))
    outcome.is_unchecked = not roster.ids
    with (
        tempfile.TemporaryDirectory(prefix="collect-") as scratch,
        closing(Apart(TASKS)) as process,
        nullcontext() if dry_run else folders.staging_area(course.folder("submitted")) as area,
    ):
        parts = [
            (upload, provenance_of(upload, notebooks))
            for path in paths
            for upload in uploads_in(path, assignment, notebooks, process.ask, outcome.refused)
        ]
        for own, members in _counting(_by_team(parts, owners, outcome), prefer_own):
            if roster.ids and not allow_unknown:
                outcome.strangers += [
                    who.student for who in members if who.student not in roster.ids
                ]
                members = [who for who in members if who.student in roster.ids]
            if not members:
                continue
            with tempfile.TemporaryDirectory(dir=scratch) as into:
                files, notes = _opened(process.ask, own, notebooks, Path(into), outcome.refused)
                for known in members if files else ():
                    submission = replace(
                        known,
                        files=files,
                        timestamp=in_time(known.origin, known.timestamp, due),
                        notes=(*known.notes, *notes),
                    )
                    try:
                        doing = (
                            what_to_do(course, assignment, submission)
                            if area is None
                            else file_away(course, assignment, submission, area)
                        )
                        outcome.done.append((submission, doing))
                    except OSError as error:
                        outcome.refused.append(f"{known.student}: could not be filed ({error}).")
    if not any((outcome.done, outcome.refused, outcome.unknown, outcome.strangers)):
        raise CourseError(f"no notebook was found in {', '.join(map(str, paths))}.")
    return outcome


def _by_team(parts: list[Part], owners: Owners, outcome: Outcome) -> dict[Team, list[Part]]:
    """Whose the uploads are. Those of nobody, and of several people of one name, are unknown."""
    told = [(upload, *owners.of(upload, provenance)) for upload, provenance in parts]
    tickets: dict[Team, set[str]] = {}
    for _, team, provenance in told:
        tickets.setdefault(team, set()).update(filter(None, [provenance.ticket]))
    found: dict[Team, list[Part]] = {}
    for upload, team, provenance in told:
        if team and len(tickets[team]) < 2:
            found.setdefault(team, []).append((upload, provenance))
        elif upload.may_be_work:
            outcome.unknown.append(str(upload.around / upload.name))
        else:
            outcome.passed_over += 1
    return found


def _counting(
    handed: dict[Team, list[Part]], prefer_own: bool
) -> Iterable[tuple[list[Part], list[Submission]]]:
    """The uploads that count, and for whom: a team's, the latest of several, or the own ones."""
    known = {team: _known(team, parts) for team, parts in handed.items()}
    members: dict[Team, list[Submission]] = {}
    for student in sorted({student for team in handed for student in team}):
        teams = [team for team in handed if student in team]
        teams.sort(key=lambda team: ((len(team) == 1) == prefer_own, known[team].timestamp))
        *others, team = teams
        notes = list(known[team].notes)
        for other in others:
            alone = "what was handed in alone" if len(other) == 1 else "what another team handed in"
            advice = " (--prefer-own takes it)" if len(other) == 1 else ""
            notes.insert(0, f"{alone} was left out{advice}")
        if len(team) > 1:
            notes.insert(0, f"handed in with {', '.join(who for who in team if who != student)}")
        one = replace(known[team], student=student, notes=tuple(notes))
        members.setdefault(team, []).append(one)
    return [(handed[team], found) for team, found in members.items()]


def _known(team: Team, parts: list[Part]) -> Submission:
    """What is known of a submission before any of it is opened."""
    told = [provenance for _, provenance in parts]
    times = [one.time or upload.time for upload, one in parts]
    late = any(one.origin.late for one in told) if told[0].origin.late is not None else None
    origin = replace(
        told[0].origin,
        late=late,
        is_timed=all(one.origin.is_timed for one in told),
        team=team if len(team) > 1 else (),
    )
    notes = list(dict.fromkeys(one.note for one in told if one.note))
    notes += ["late, says Canvas, and not by how much"] * bool(late)
    time = max(filter(None, times), default=datetime.now(UTC))
    return Submission(team[0], {}, time, tuple(notes), origin)


def _opened(
    ask: Ask, parts: list[Part], notebooks: list[str], into: Path, refused: list[str]
) -> tuple[dict[str, Path], list[str]]:
    """What goes into a submission's folder, opened in the limited process; and notes about it."""
    sources = [(source, upload, told) for upload, told in parts for source in upload.sources]
    asked = [
        (
            str(source.archive) if source.archive is not None else None,
            source.key,
            str(source.path) if source.path.parts else told.rest,
            str(upload.around / upload.name / source.path),
        )
        for source, upload, told in sources
    ]
    shown = parts[0][0].name
    try:
        request = {"sources": asked, "into": str(into), "notebooks": notebooks}
        reply = ask("open", request)
    except (TooMuch, Raised, OSError) as error:
        refused.append(f"{shown}: {error}.")
        return {}, []
    refused += reply["refused"][:MOST_REASONS]
    if len(reply["refused"]) > MOST_REASONS:
        refused.append(f"{shown}: and {len(reply['refused']) - MOST_REASONS} more of its files.")
    content = []
    for place, path, seconds, where, notebook, copy in reply["files"]:
        source, _, told = sources[place]
        order = (told.time or NEVER, source.time or NEVER, seconds or 0.0, copy, path)
        content.append(Content(PurePosixPath(path), Path(where), notebook, order))
    files, notes = arrange(content, notebooks)
    if not files and not reply["refused"]:
        refused.append(f"{shown} holds no notebook, and nothing that may be one.")
    return files, notes


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


def _named_by(course: Course) -> Callable[[str], str | None]:
    """How the course's nbgrader_config.py reads a student in an outermost name, by
    `c.FileNameCollectorPlugin.named_regexp`, as for `nbgrader zip_collect`."""
    from nbgrader.plugins import FileNameCollectorPlugin

    plugin = FileNameCollectorPlugin(config=course.config)
    if not plugin.named_regexp:
        return lambda name: None
    return lambda name: (plugin.collect(name) or {}).get("student_id")


def report(outcome: Outcome, dry_run: bool) -> None:
    """One line for each submission in a dry run, else for those with something to say; then the
    counts."""
    for one, doing in outcome.done:
        if dry_run or one.notes or doing in ("replaces", "older", "timed"):
            said = "; ".join([SAID[doing].format(earlier=outcome.earlier), *one.notes])
            files = f" ({some_of(sorted(one.files))}; {one.timestamp:%Y-%m-%d %H:%M} UTC)"
            print(plain(f"{one.student}: {said}{files if dry_run else ''}"))
    for reason in outcome.refused:
        print(plain(f"left out: {reason}"))
    for name in outcome.unknown:
        print(plain(f"whose is it? {name}"))
    if outcome.unknown:
        print(
            "Say whose in a file of lines `file-or-folder,student`, such as "
            f"`{plain(outcome.unknown[0])},ada`, and name it with --students."
        )
    if outcome.strangers:
        print(
            f"not among the students of the gradebook, and left out: {some_of(outcome.strangers)}. "
            "Add who is new with `nbgrader db student add ID`, say who they are with --students, "
            "or file them all the same with --allow-unknown."
        )
    if outcome.is_unchecked and outcome.done:
        print(
            "The gradebook has no students yet, so that ids were made of names: where yours are "
            "others, `nbgrader db student import` them, and collect again."
        )
    counts = Counter(doing for _, doing in outcome.done)
    parts = [f"{counts[doing]} {word}" for doing, word in COUNTED.items() if counts[doing]]
    parts += [
        f"{count} {word}"
        for count, word in (
            (len(outcome.refused), "left out"),
            (len(outcome.unknown), "of nobody"),
            (len(outcome.strangers), "of strangers"),
            (outcome.passed_over, "other files passed over"),
        )
        if count
    ]
    end = " (dry run: nothing was written)" if dry_run else ""
    print(f"{outcome.assignment}: {', '.join(parts) or 'nothing'}{end}")
