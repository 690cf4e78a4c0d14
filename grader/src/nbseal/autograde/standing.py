"""What lies in autograded/ already: whether this gradebook has its scores, and whether the tests
that gave them are still the assignment's, and still the instructor's."""

from __future__ import annotations

import json
from pathlib import Path

from nbseal.autograde.gradebook import OpenGradebook
from nbseal.autograde.source import SourceNotebooks, edited_tests
from nbseal.notebook.notes import OURS
from nbseal.notebook.text import some_of

TESTS = "tests"  # the key, among our notes in an autograded notebook, of the tests' digest


class Standing:
    """Submissions that an earlier run has graded, as this run finds them."""

    def __init__(self, gradebook: OpenGradebook, assignment: str, written: SourceNotebooks):
        """written: what the instructor's files say now; the gradebook says what they said when the
        assignment was generated."""
        self._assignment, self._written = assignment, written
        self._source = gradebook.source(assignment)
        self._scored = gradebook.scored(assignment)
        self.unrecorded: list[str] = []  # graded again, as this gradebook knew nothing of them
        self.outdated: list[str] = []  # graded by other tests

    def has_scores(self, student: str, folder: Path) -> bool:
        """Whether the gradebook has scores for each notebook that lies in a submission's folder."""
        lying = {name for name in self._source.notebooks if (folder / f"{name}.ipynb").is_file()}
        if lying <= self._scored.get(student, set()):
            return True
        self.unrecorded.append(student)
        return False

    def look_at_tests(self, student: str, folder: Path) -> None:
        """Note a submission that was graded by other tests than the assignment has now."""
        for name, source in self._source.notebooks.items():
            used = _digest_in(folder / f"{name}.ipynb")
            wanted = self._written.tests_digest(self._assignment, source)
            if used is not None and used != wanted:
                self.outdated.append(student)
                return

    def news(self) -> list[str]:
        """What a person should know of these submissions, in sentences."""
        said = []
        if self.unrecorded:
            said.append(
                f"{some_of(self.unrecorded)}: autograded before, but without scores in this "
                "gradebook; graded again."
            )
        if self.outdated:
            only = f" --student={self.outdated[0]}" if len(self.outdated) == 1 else ""
            said.append(
                f"{some_of(self.outdated)}: graded by other tests or points than "
                f"{self._assignment} has now; `nbseal autograde {self._assignment}{only} --force` "
                "grades again."
            )
        return said + self._edited()

    def _edited(self) -> list[str]:
        said = []
        for name, source in self._source.notebooks.items():
            if tests := edited_tests(self._written.read(self._assignment, name), source):
                said.append(
                    f"{self._assignment}/{name}.ipynb: {some_of(map(repr, tests))} in the source "
                    "folder differs from what was generated, which is what students were graded "
                    f"by; `nbgrader generate_assignment {self._assignment}` brings it up to date."
                )
        return said


def _digest_in(path: Path) -> str | None:
    """The note of an autograded notebook; None where there is none, as in one that nbgrader alone
    has graded."""
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))["metadata"].get(OURS)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    found = notes.get(TESTS) if isinstance(notes, dict) else None
    return found if isinstance(found, str) else None
