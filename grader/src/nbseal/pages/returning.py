"""Finished feedback on its way back: the archive, and the filled table of grades, that a learning
management system takes.

What each takes is read from its own source; grader/tests/support/lms.py has the rules as code.

Moodle, `Upload multiple feedback files in a zip` (mod/assign/feedback/file/importziplib.php): some
folder on a file's path must be called NAME_NUMBER_assignsubmission_file, with the number that the
participant has in this assignment; anything else is passed over in silence.
Canvas, `Upload Submissions` (infer_comment_context_from_filename in
app/models/abstract_assignment.rb): a file's name begins with that of the file that was handed in,
with the user's number and the file's; the page becomes a comment on that submission.
Gradescope takes no feedback files. It takes autograders, zips with setup.sh and run_autograder
(gradescope-autograders.readthedocs.io, "Autograder Specifications"): ours looks up a score and what
is to be said of each task, and runs nobody's code.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from nbseal.files import whole
from nbseal.lms.origins import Origin
from nbseal.lms.tables import Person

SETUP = """#!/usr/bin/env bash
command -v python3 > /dev/null || { apt-get update && apt-get install -y python3; }
"""
RUN = '''#!/usr/bin/env python3
"""Says what was found when this submission was graded elsewhere; runs nothing of it."""
import json
from pathlib import Path

autograder = Path("/autograder")
submission = json.loads((autograder / "submission_metadata.json").read_text())
known = json.loads((autograder / "source" / "results.json").read_text())
emails = [user.get("email") for user in submission.get("users", [])]
found = known["submissions"].get(str(submission["id"]))
if found is None and emails:  # a later try: the result that all of them have already
    results = [known["students"].get(email) for email in emails]
    found = results[0] if all(result == results[0] for result in results) else None
if found is None:
    found = {"score": 0, "output": "This submission has not been graded yet."}
(autograder / "results" / "results.json").write_text(json.dumps(found))
'''


@dataclass(frozen=True)
class Task:
    """What Gradescope shows of a task."""

    name: str
    score: float
    max_score: float
    output: str = ""


@dataclass(frozen=True)
class Returned:
    """What one student gets back."""

    student: str
    pages: tuple[Path, ...]
    origin: Origin
    score: float = 0.0
    tasks: tuple[Task, ...] = ()


@dataclass
class Parcel:
    """An archive for a system, and those for whom it holds nothing."""

    files: dict[str, Path | str] = field(default_factory=dict)  # name -> a page, or a text
    reached: list[str] = field(default_factory=list)
    unreachable: list[str] = field(default_factory=list)  # students whose number is not known


def for_moodle(returned: Iterable[Returned], people: Iterable[Person] = ()) -> Parcel:
    """Pages in folders that Moodle understands. people: the rows of its grading worksheet, which
    knows everybody's number; a download knows that of each who handed in without a team."""
    rows = {person.student: person for person in people if person.student}
    parcel = Parcel()
    for one in returned:
        row, own = rows.get(one.student), one.origin
        number = own.number if own.system == "moodle" and not own.team else ""
        number = row.number if row else number
        if not number:
            parcel.unreachable.append(one.student)
            continue
        who = (row.name if row else "").replace("_", " ").replace("/", " ") or one.student
        folder = f"{who.replace('_', ' ')}_{number}_assignsubmission_file"
        parcel.files |= {f"{folder}/{page.name}": page for page in one.pages}
        parcel.reached.append(one.student)
    return parcel


def for_canvas(returned: Iterable[Returned]) -> Parcel:
    """Pages called after the files that were handed in. Of a team one gets it, whose file it was,
    and Canvas gives it to all."""
    parcel = Parcel()
    for one in returned:
        if one.origin.system != "canvas":
            parcel.unreachable.append(one.student)
            continue
        for page in one.pages:
            # "link" would mean that a link was handed in, and no file
            name = f"{one.origin.prefix}feedback_{page.name}"
            parcel.files.setdefault(name, page)
        parcel.reached.append(one.student)
    return parcel


def for_gradescope(returned: Iterable[Returned]) -> Parcel:
    """An autograder that says, of each submission, what was found here."""
    parcel = Parcel()
    submissions: dict[str, dict] = {}
    students: dict[str, dict] = {}
    for one in returned:
        if one.origin.system != "gradescope":
            parcel.unreachable.append(one.student)
            continue
        found = {"score": one.score, "tests": [asdict(task) for task in one.tasks]}
        submissions.setdefault(one.origin.number, found)
        for email in one.origin.emails:
            students.setdefault(email, found)
        parcel.reached.append(one.student)
    known = json.dumps({"submissions": submissions, "students": students})
    parcel.files = {"setup.sh": SETUP, "run_autograder": RUN, "results.json": known}
    return parcel


def write(parcel: Parcel, path: Path) -> None:
    """Pack a parcel into a zip; whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parcel.files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name == "run_autograder" else 0o100644) << 16
            data = content.encode() if isinstance(content, str) else content.read_bytes()
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
