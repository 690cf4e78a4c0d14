"""The gradebook in PostgreSQL, by URL: the guide's own commands, in a server that lives as long as
the test."""

import subprocess
import sys

from nbseal.notebook import files

from tests.docs import guides
from tests.docs.guides import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG


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
