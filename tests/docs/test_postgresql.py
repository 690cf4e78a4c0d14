"""The gradebook in PostgreSQL, by URL: the guide's own commands, in a server that lives as long as
the test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbseal.notebook import files

from tests.docs import guides
from tests.docs.guides import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG

# Debian keeps the server's programs away from PATH, a folder for each version.
PROGRAMS = next(
    (
        path.parent
        for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    ),
    None,
)


@pytest.fixture
def server(tmp_path_factory) -> Iterator[str]:
    """The URL of an empty database `gradebook`, reached by a socket in a folder of its own and not
    over the network."""
    if PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    folder = Path("/tmp") / f"gradebook-{os.getpid()}"  # a socket's path must be short
    folder.mkdir(mode=0o700)
    user = {}
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [PROGRAMS / program, *arguments],
            check=True,
            cwd=folder,
            timeout=120,
            stdout=subprocess.DEVNULL,
            **user,
        )

    data = str(folder / "data")
    try:
        call("initdb", "-D", data, "-U", "grader", "--auth=trust", "--no-sync")
        call(
            "pg_ctl",
            "-D",
            data,
            "-w",
            "-l",
            str(folder / "log"),
            "-o",
            f"-k {folder} -c listen_addresses=",
            "start",
        )
        try:
            call("createdb", "-h", str(folder), "-U", "grader", "gradebook")
            yield f"postgresql+psycopg://grader@/gradebook?host={folder}"
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def test_the_guides_commands_keep_scores_in_postgresql(server, copy, handed_in, tmp_path):
    for student, solution in (("mia", RIGHT), ("noah", WRONG)):
        folder = copy / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        files.write(handed_in(solution), folder / NOTEBOOK)
    guides.run(
        guides.commands("instructor.md", "sh postgresql"), copy, tmp_path / "home", COURSE_DB=server
    )

    assert not (copy / "gradebook.db").exists(), "scores went into a file"
    kept = subprocess.run(
        [sys.executable, "-c", READ, server], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert kept.split() == ["mia", "18.0", "noah", "16.0"]
    assert (copy / "feedback" / "noah" / ASSIGNMENT / "layer_norm.html").is_file()


READ = f"""
import sys
from nbgrader.api import Gradebook
with Gradebook(sys.argv[1], "deep-networks") as gradebook:
    for submission in sorted(gradebook.assignment_submissions({ASSIGNMENT!r}), key=lambda each: each.student.id):
        print(submission.student.id, submission.score)
"""
