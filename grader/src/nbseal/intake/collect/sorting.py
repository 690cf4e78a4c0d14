"""The files of one student, put together: which is the notebook, which lie beside it, and when it
was handed in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbgrader.utils import parse_utc

from nbseal.intake.collect.archives import Found
from nbseal.intake.collect.naming import Name, is_notebook, name_of
from nbseal.intake.collect.owners import Owners, Team
from nbseal.lms.origins import Origin

TIMESTAMP = "timestamp.txt"  # nbgrader's
# What people hand in in the place of a notebook, the likeliest first.
INSTEAD = (".json", ".txt", ".py", ".html", ".htm", ".pdf", ".docx", ".doc", ".odt", ".rtf", "")


@dataclass(frozen=True)
class Submission:
    """What one student handed in."""

    student: str
    files: dict[str, Path]  # name in the submission's folder -> where its bytes are
    timestamp: datetime
    notes: tuple[str, ...] = ()
    origin: Origin = field(default_factory=Origin)


@dataclass
class Sorted:
    """All submissions, and the files that could not be given to anybody."""

    submissions: list[Submission] = field(default_factory=list)
    unknown: list[PurePosixPath] = field(default_factory=list)


def sort(
    files: Iterable[Found],
    assignment: str,
    notebooks: list[str],
    owners_of: Owners,
    named_by_plugin=lambda path: None,
    prefer_own: bool = False,
) -> Sorted:
    """Give every file to a student, or to each of a team. Later versions of the same notebook
    count, others are named in a note; so is what a member handed in alone, unless prefer_own."""
    told = []
    for file in files:
        name = named_by_plugin(file.path) or name_of(file.path, notebooks, assignment)
        told.append((file, *owners_of.of(file.path, name)))
    result = Sorted()
    homonyms = _homonyms(told)
    groups: dict[Team, list[tuple[Found, Name]]] = {}
    owners: dict[PurePosixPath, set[Team]] = {}  # folder -> whose notebooks lie in it
    others = []
    for file, team, name in told:
        if not is_notebook(file.path.name):
            others.append((file, team, name))
        elif not team or team in homonyms:
            result.unknown.append(file.path)
        else:
            groups.setdefault(team, []).append((file, name))
            owners.setdefault(file.path.parent, set()).add(team)
    for file, team, name in others:
        # A file beside a notebook belongs to it, whatever it is called.
        folder = next(
            (folder for folder in file.path.parents if len(owners.get(folder, ())) == 1), None
        )
        if folder is not None:
            [team] = owners[folder]
            groups[team].append((replace(file, path=file.path.relative_to(folder)), name))
        elif team and team not in homonyms and file.path.suffix.lower() in INSTEAD:
            groups.setdefault(team, []).append(
                (replace(file, path=PurePosixPath(file.path.name)), name)
            )
    handed_in = {team: _submission(team[0], group, notebooks) for team, group in groups.items()}
    students = sorted({student for team in handed_in for student in team})
    result.submissions = [_of_member(student, handed_in, prefer_own) for student in students]
    return result


def _of_member(student: str, handed_in: Mapping[Team, Submission], prefer_own: bool) -> Submission:
    """What counts for a student: a team's submission, the latest of several, or the own one."""
    teams = [team for team in handed_in if student in team]
    teams.sort(key=lambda team: ((len(team) == 1) == prefer_own, handed_in[team].timestamp))
    *others, team = teams
    chosen, notes = handed_in[team], []
    if len(team) > 1:
        notes.append(f"handed in with {', '.join(other for other in team if other != student)}")
    for other in others:
        alone = "what was handed in alone" if len(other) == 1 else "what another team handed in"
        advice = " (--prefer-own takes it)" if len(other) == 1 else ""
        notes.append(f"{alone} was left out{advice}")
    origin = replace(chosen.origin, team=team if len(team) > 1 else ())
    return replace(chosen, student=student, notes=(*notes, *chosen.notes), origin=origin)


def _homonyms(told: list[tuple[Found, Team, Name]]) -> set[Team]:
    """Ids that stand for several people of the same name."""
    tickets: dict[Team, set[str]] = {}
    for _, team, name in told:
        if team and name.ticket:
            tickets.setdefault(team, set()).add(name.ticket)
    return {team for team, found in tickets.items() if len(found) > 1}


def _submission(student: str, group: list[tuple[Found, Name]], notebooks: list[str]) -> Submission:
    notes: list[str] = []
    versions: dict[str, list[tuple[Found, Name]]] = {}
    beside: list[Found] = []
    for file, name in group:
        if is_notebook(file.path.name) and name.notebook:
            versions.setdefault(name.notebook, []).append((file, name))
        else:
            beside.append(file)
    missing = [notebook for notebook in notebooks if notebook not in versions]
    if len(missing) == 1 and not (
        len(notebooks) > 1 and versions and not any(is_notebook(one.path.name) for one in beside)
    ):
        _take_another(missing[0], beside, versions, {id(file): name for file, name in group}, notes)
    files, times, names = {}, [], []
    for notebook, found in versions.items():
        found.sort(key=lambda pair: _later(*pair))
        chosen, name = found[-1]
        files[f"{notebook}.ipynb"] = chosen.content
        times.append(name.time or chosen.modified)
        names.append(name)
        notes += [
            f"{old.path} was left out for {chosen.path.name}, which is later"
            for old, _ in found[:-1]
        ]
        if chosen.path.name != f"{notebook}.ipynb":
            notes.append(f"{chosen.path.name} is taken as {notebook}.ipynb")
    stamp = next((file for file in beside if str(file.path) == TIMESTAMP), None)
    for file in beside:
        place = file.path.name if is_notebook(file.path.name) else str(file.path)
        if file is not stamp and place not in files:
            files[place] = file.content
    known = [time for time in times if time] or [
        file.modified for file, _ in group if file.modified
    ]
    stamped = _read_stamp(stamp)
    origins = [name.origin for name in names or [name for _, name in group]]
    notes += dict.fromkeys(name.note for _, name in group if name.note)
    notes += ["late, says Canvas, and not by how much"] * any(origin.late for origin in origins)
    return Submission(
        student,
        files,
        stamped or (max(known) if known else datetime.now(UTC)),
        tuple(notes),
        replace(
            origins[0],
            late=any(origin.late for origin in origins) if origins[0].late is not None else None,
            is_timed=stamped is not None or all(origin.is_timed for origin in origins),
        ),
    )


def _later(file: Found, name: Name) -> tuple[datetime, datetime, int, str]:
    """Which of several tries at one notebook counts: the largest of these. When a file was written
    comes first, then the time in its name, then the number of its copy."""
    return file.modified or _NEVER, name.time or _NEVER, name.copy, str(file.path)


_NEVER = datetime.min.replace(tzinfo=UTC)


def _take_another(
    notebook: str, beside: list[Found], versions: dict, names: dict, notes: list[str]
) -> None:
    """Where no file has the notebook's name: the only other notebook, else what was handed in in
    its place."""
    candidates = [file for file in beside if is_notebook(file.path.name)]
    if not candidates and not versions:
        ranked = [
            (INSTEAD.index(file.path.suffix.lower()), str(file.path), file)
            for file in beside
            if file.path.suffix.lower() in INSTEAD and str(file.path) != TIMESTAMP
        ]
        candidates = [min(ranked)[2]] if ranked else []
    if candidates:
        versions[notebook] = [(file, names[id(file)]) for file in candidates]
        for file in candidates:
            beside.remove(file)


def _read_stamp(file: Found | None) -> datetime | None:
    """The time in nbgrader's timestamp.txt."""
    if file is None:
        return None
    try:
        found = parse_utc(file.content.read_text(encoding="utf-8").strip())
    except (ValueError, OverflowError, UnicodeDecodeError, AttributeError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
