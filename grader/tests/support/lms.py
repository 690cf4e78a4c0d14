"""What Moodle, Canvas and Gradescope write and accept, in a few rules each, from their own source:
names of what is downloaded, and which files of an uploaded archive reach whom.

Moodle (4.5): mod/assign/classes/downloader.php, mod/assign/feedback/file/importziplib.php,
mod/assign/feedback/offline/importgradeslib.php and locallib.php. Older Moodles (until 4.0) put a
group's name before a student's: download_submissions in mod/assign/locallib.php.
Canvas: lib/content_zipper.rb, infer_comment_context_from_filename in
app/models/abstract_assignment.rb, lib/zip_extractor.rb, lib/gradebook_importer.rb.
Gradescope has no public source: gradescope-autograders.readthedocs.io, pages "Autograder
Specifications" and "Submission Metadata".
"""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

# ---- Moodle --------------------------------------------------------------------------------------


def moodle_name(who: str, number: int | None, file: str, *, folders=True, before="") -> str:
    """The path of a file in the archive of all submissions. who: a full name, a team's name, or
    Participant; before: an older Moodle's group, with its hyphen."""
    prefix = (before + who).replace("_", " ") + (f"_{number}" if number else "")
    clean = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "", f"{prefix}_assignsubmission_file")
    return f"{clean}/{file}" if folders else f"{clean}_{file}"


def moodle_takes(archive: bytes, participants: set[int]) -> tuple[dict[int, list[str]], list[str]]:
    """Participant -> the feedback files they get; and the files that nobody gets."""
    taken: dict[int, list[str]] = {}
    passed_over = []
    for path in _files(archive):
        number, rest = _moodle_whose(path, participants)
        if number is None:
            passed_over.append(path)
        else:
            taken.setdefault(number, []).append(rest)
    return taken, passed_over


def _moodle_whose(path: str, participants: set[int]) -> tuple[int | None, str]:
    *_, name = path.split("/")
    if name.startswith((".", "~")):
        return None, ""
    parts = path.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) < 4 or not re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", info[1]):
            continue
        if int(float(info[1])) not in participants:
            continue
        if (info[2], info[3]) not in {
            ("assignsubmission", "file"),
            ("assignsubmission", "onlinetext"),
            ("assignfeedback", "file"),
        }:
            continue
        return int(float(info[1])), "/".join([*info[4:5], *parts]).lstrip("/")
    return None, ""


WORKSHEET = [
    "Identifier",
    "Full name",
    "Email address",
    "Status",
    "Grade",
    "Maximum grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
]


def moodle_worksheet(people: list[tuple[int, str, str, str]], most: float = 2) -> str:
    """A grading worksheet: number, full name, email address and time of each."""
    text = io.StringIO()
    rows = [
        [f"Participant {number}", name, email, "Submitted", "", f"{most:.2f}", "Yes", time, "-", ""]
        for number, name, email, time in people
    ]
    csv.writer(text).writerows([WORKSHEET, *rows])
    return "\ufeff" + text.getvalue()


def moodle_grades(text: str, participants: set[int], most: float) -> dict[int, float]:
    """Participant -> the grade that importing a filled worksheet gives."""
    head, *rows = list(csv.reader(io.StringIO(text)))
    places = [head.index(name) for name in ("Identifier", "Grade", "Last modified (grade)")]
    given = {}
    for row in rows:
        number, grade = row[places[0]][len("Participant") :].strip(), row[places[1]]
        known = number.isdigit() and int(number) in participants
        if known and grade != "" and 0 <= float(grade) <= most:
            given[int(number)] = float(grade)
    return given


# ---- Canvas --------------------------------------------------------------------------------------


def canvas_name(sortable: str, user: int | str, file: int, name: str, *, late=False) -> str:
    """The name of a file in the archive of all submissions. user: a number, or for an anonymous
    assignment a code, with no name before it."""
    who = re.sub(r"_(\d+)_", r"\1", sortable).lower()
    parts = [who] if isinstance(user, int) else []
    parts += ["LATE"] * late + [str(user) if isinstance(user, int) else f"anon_{user}"]
    start = re.sub(r"\W", "", "_".join(parts))
    return f"{start}_{file}_" + re.sub(r'[\x00/\\:*?"<>|]+', "_", name)


def canvas_takes(
    archive: bytes, files: dict[int, int | str], groups: tuple[str, ...] = ()
) -> tuple[dict[int | str, list[str]], list[str]]:
    """User -> the files that become a comment on the submission; and those that are passed over.

    files: number of each handed-in file -> the user, or the code, whose submission it belongs to.
    """
    taken: dict[int | str, list[str]] = {}
    passed_over = []
    for path in _files(archive):
        name = path.rpartition("/")[2]
        bare = next((name[len(each) + 1 :] for each in groups if name.startswith(f"{each}_")), name)
        parts = [part for part in bare.split("_") if part != "LATE"]
        if parts[0] == "anon":
            user, file = (parts[1], parts[2])
        else:
            user, file = ([part for part in parts if part.isdecimal()] + ["", ""])[:2]
        if parts[-1].startswith("link") or bare.startswith("._"):
            file = ""
        if file.isdecimal() and str(files.get(int(file))) == user:
            taken.setdefault(files[int(file)], []).append(name)
        else:
            passed_over.append(path)
    return taken, passed_over


def canvas_gradebook(people: list[tuple[int, str, str]], items: list[str], points: float) -> str:
    """An exported gradebook: id, sortable name and login of each; titles with their numbers."""
    text = io.StringIO()
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *items, "Final Score"]
    possible = ["    Points Possible", "", "", "", "", *[points] * len(items), "(read only)"]
    rows = [[name, user, "", login, "All", *[""] * len(items), ""] for user, name, login in people]
    csv.writer(text).writerows([head, possible, *rows])
    return text.getvalue()


def canvas_grades(
    text: str, users: set[int], items: set[int]
) -> tuple[dict[tuple[int, int], str], list[str]]:
    """(User, assignment) -> the grade that importing a table gives; and what Canvas would ask about:
    columns and rows that it does not know."""
    head, *rows = list(csv.reader(io.StringIO(text)))
    assert head[0] == "Student" and head[1] == "ID" and "Section" in head
    questions, columns = [], {}
    for place in range(head.index("Section") + 1, len(head)):
        found = re.fullmatch(r"(.*)\s\((\d+)\)", head[place])
        if found and int(found[2]) in items:
            columns[place] = int(found[2])
        elif not re.search("Current|Final|Override", head[place]):
            questions.append(head[place])
    given = {}
    for row in rows:
        if "Points Possible" in row[0]:
            continue
        if not row[1].isdigit() or int(row[1]) not in users:
            questions.append(row[0])
            continue
        for place, item in columns.items():
            if row[place].strip() not in ("", "-"):
                given[int(row[1]), item] = row[place].strip()
    return given, questions


# ---- Gradescope ----------------------------------------------------------------------------------


def gradescope_export(
    submissions: dict[int, list[dict]], notebook: bytes, created: str
) -> dict[str, bytes]:
    """An export: submission -> those who handed in; all have the same notebook and time."""
    lines = []
    for number, people in submissions.items():
        lines += [f"submission_{number}:", "  :submitters:"]
        for person in people:
            first, *more = [f":{key}: {value}" for key, value in person.items()]
            lines += [f"  - {first}", *(f"    {each}" for each in more)]
        lines += [f"  :created_at: {created}", "  :score: "]
    files = {"assignment_7_export/submission_metadata.yml": "\n".join(lines).encode()}
    for number in submissions:
        files[f"assignment_7_export/submission_{number}/tiny.ipynb"] = notebook
    return files


def gradescope_runs(archive: bytes, folder: Path, number: int, emails: list[str]) -> dict:
    """What an uploaded autograder says of one submission: results.json."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        assert {"setup.sh", "run_autograder"} <= set(packed.namelist())
        packed.extractall(folder / "source")
    (folder / "results").mkdir(parents=True)
    about = {"id": number, "users": [{"email": email} for email in emails]}
    (folder / "submission_metadata.json").write_text(json.dumps(about))
    script = (folder / "source" / "run_autograder").read_text()
    assert script.startswith("#!/usr/bin/env python3\n") and "/autograder" in script
    (folder / "run_autograder").write_text(script.replace("/autograder", str(folder)))
    subprocess.run([sys.executable, folder / "run_autograder"], check=True, timeout=60)
    return json.loads((folder / "results" / "results.json").read_text())


def _files(archive: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return [info.filename for info in packed.infolist() if not info.is_dir()]
