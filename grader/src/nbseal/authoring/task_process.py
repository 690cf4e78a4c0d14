"""The process in which an instructor's notebook and its task files run: `python -m
nbseal.authoring.task_process COURSE ASSIGNMENT JOB ANSWER [KEYS or TASK]`; see compiling.py."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nbseal.authoring.compiling import compiled
from nbseal.authoring.mutants.study import study
from nbseal.authoring.proving import prove
from nbseal.authoring.task_files import tasks_of
from nbseal.course import Course
from nbseal.errors import CourseError


def main(root: str, assignment: str, job: str, answer: str, more: str = "1") -> None:
    course = Course.at(Path(root))
    content: dict[str, Any]
    try:
        if job == "compile":
            content = {"answer": compiled(course, assignment)}
        elif job == "mutants":
            tasks = [one for one in tasks_of(course, assignment) if one.name == more]
            content = {"answer": [asdict(study(one)) for one in tasks]}
        else:
            tasks = tasks_of(course, assignment)
            found = [one for task in tasks for one in prove(task, int(more))]
            content = {"answer": [asdict(violation) for violation in found]}
    except CourseError as error:
        content = {"problem": str(error)}
    Path(answer).write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
