"""tasks.json and graded.json: what `check("NAME")` reads, made of the task files and the solution.

Both are made in a process of their own, which runs the instructor's notebook: what it imports and
sets is gone with it.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from nbseal.authoring.nbgrader_api import environment
from nbseal.authoring.task_files import Solved, task_files, task_folder, tasks_of
from nbseal.checks.declared import FORMAT, GRADED, VISIBLE, digest, read
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.files import write_whole

MOST_BYTES = 500_000  # of one tasks.json


def visible_file(course: Course, assignment: str) -> Path:
    return course.folder("source", assignment=assignment) / VISIBLE


def graded_file(course: Course, assignment: str) -> Path:
    return task_folder(course, assignment) / GRADED


def hash_of(course: Course, assignment: str) -> str | None:
    """What the files of an assignment must say they were made of; None where no cell calls `check`.
    Raises CourseError for a task without a file."""
    notebooks, paths = Solved.all_of(course, assignment), task_files(course, assignment)
    checked = [name for one in notebooks for name in one.checked]
    if missing := [name for name in checked if name not in paths]:
        raise CourseError(
            f"{notebooks[0].path} checks {missing[0]!r}, and {task_folder(course, assignment)} "
            f"has no {missing[0]}.py: write it."
        )
    if not checked:
        return None
    # the whole cells, since their titles and points are in the file; and the badge's address
    cells = [f"{name} {cell}" for one in notebooks for name, cell in one.cells.items()]
    cells += [f"{n} {p}" for one in notebooks for n, p in one.checked.items() if n not in one.cells]
    cells += [one.notebook.cells[0].source for one in notebooks]
    texts = [f"{name} {paths[name].read_text(encoding='utf-8')}" for name in sorted(checked)]
    return digest(cells, json.dumps(texts))


def is_current(path: Path, wanted: str | None) -> bool:
    """Whether a file is there and made of what is there today; or is not, where none is wanted."""
    if not path.is_file():
        return wanted is None
    try:
        return bool(read(path)["hash"] == wanted)
    except ValueError:
        return False


def compile_tasks(course: Course, assignment: str) -> bool:
    """Make both files where they are not of today; returns whether anything was written. Raises
    CourseError."""
    wanted = hash_of(course, assignment)
    places = visible_file(course, assignment), graded_file(course, assignment)
    old = [path for path in places if not is_current(path, wanted)]
    if wanted is None:
        for path in old:
            path.unlink()
    elif old:
        made = apart(course, assignment, "compile")
        for path, content in zip(places, made):
            if path in old:
                _write(path, {"hash": wanted, **content})
    return bool(old)


def _write(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    if len(text.encode()) > MOST_BYTES:
        raise CourseError(
            f"{path} would have {len(text.encode())} bytes, more than {MOST_BYTES}: use smaller "
            "inputs."
        )
    write_whole(path, text, 0o600 if path.name == GRADED else 0o666)


def compiled(course: Course, assignment: str) -> list[dict[str, Any]]:
    """The contents of tasks.json and of graded.json, but for their hash. Runs the notebook."""
    checked = {name for one in Solved.all_of(course, assignment) for name in one.checked}
    tasks = [one for one in tasks_of(course, assignment) if one.name in checked]
    contents: list[dict[str, Any]] = []
    for part in ("visible", "hidden"):
        key = {"key": secrets.token_hex(16)} if part == "hidden" else {}
        made = {one.name: one.packed(part=part, **key) for one in tasks}
        contents.append({"format": FORMAT, "assignment": assignment, "tasks": made})
    return contents


# ---- in a process of its own --------------------------------------------------------------------


def apart(course: Course, assignment: str, job: str, *more: str) -> Any:
    """What a job of task_process.py answers. Raises CourseError with what it says."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        words = [str(course.root), assignment, job, str(answer), *more]
        run = subprocess.run(
            [sys.executable, "-m", "nbseal.authoring.task_process", *words],
            capture_output=True,
            text=True,
            env=environment(OMP_NUM_THREADS="1"),  # threads of small tensors only wait
        )
        if not answer.is_file():
            raise CourseError(
                f"the task files of {assignment} cannot be asked: {run.stderr[-2000:]}"
            )
        content = json.loads(answer.read_text(encoding="utf-8"))
    if "problem" in content:
        raise CourseError(content["problem"])
    return content["answer"]
