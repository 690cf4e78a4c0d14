"""Where a submission came from: what its learning management system called it.

Kept by `nbseal collect` in `.nbseal/origins/ASSIGNMENT/STUDENT.json`, for feedback to go back by
the same name, and for a better time to replace a worse one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from nbseal.files import write_whole
from nbseal.view import PRIVATE


@dataclass(frozen=True)
class Origin:
    """What a system's download says of a submission, beyond whose it is."""

    system: str = ""  # moodle, canvas, gradescope, or nothing where none is recognised
    number: str = ""  # Moodle's participant, Canvas's user, Gradescope's submission
    # what Canvas wants to find again at the beginning of a file's name: all but the student's own
    prefix: str = ""
    late: bool | None = None  # None where the download does not say
    # whether the system says when it was handed in; if not, the time is that of a file
    is_timed: bool = False
    emails: tuple[str, ...] = ()  # of all who handed in, where the download has them
    team: tuple[str, ...] = ()  # all students of a team, by their ids here


def place_of(root: Path, assignment: str, student: str) -> Path:
    """The file about one submission."""
    return root / PRIVATE / "origins" / assignment / f"{student}.json"


def keep(root: Path, assignment: str, student: str, origin: Origin) -> None:
    """Write down where a submission came from; whole or not at all."""
    path = place_of(root, assignment, student)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, json.dumps(asdict(origin)))


def kept(root: Path, assignment: str, student: str) -> Origin | None:
    """What was written down of a student's submission; None where nothing was."""
    try:
        fields = json.loads(place_of(root, assignment, student).read_text(encoding="utf-8"))
        origin = Origin(**fields)
        return replace(origin, emails=tuple(origin.emails), team=tuple(origin.team))
    except (OSError, ValueError, TypeError):
        return None


def in_time(origin: Origin, timestamp: datetime, due: datetime | None) -> datetime:
    """When a submission was handed in, as far as is known. Canvas packs files with the time of the
    download, and says only which were late: all others came no later than they were due."""
    if due is None or origin.is_timed or origin.late is not False:
        return timestamp
    return min(timestamp, due)


def team_of(root: Path, assignment: str, student: str) -> tuple[str, ...]:
    """All who handed in together with a student; only that student, where nobody did."""
    origin = kept(root, assignment, student)
    return origin.team if origin is not None and len(origin.team) > 1 else (student,)
