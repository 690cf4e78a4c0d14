"""Every right solution in the bank gets full marks, every wrong one loses its task's points, and is told its mistake.

All are graded for real by `nbgrader autograde`, once per assignment; each test then looks at one solution.
"""

from functools import cache

import pytest

from grading.bank import Assignment, load_bank
from grading.bank_grading import grade_with_nbgrader
from grading.course import Course
from tests.conftest import ROOT

COURSE = Course.at(ROOT)
ENTRIES = [entry for assignment in COURSE.assignments() for entry in load_bank(COURSE, assignment)]
RIGHT = [entry for entry in ENTRIES if entry.is_right]
WRONG = [entry for entry in ENTRIES if not entry.is_right]


def ids(entry):
    return f"{entry.assignment}/{entry.name}" if hasattr(entry, "assignment") else None


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """assignment -> {entry name: result}, graded when first asked for."""
    return cache(lambda assignment: grade_with_nbgrader(
        COURSE, [entry for entry in ENTRIES if entry.assignment == assignment], tmp_path_factory.mktemp(assignment)))


@pytest.mark.parametrize("entry", RIGHT, ids=ids)
def test_a_right_solution_gets_full_marks(entry, graded):
    result = graded(entry.assignment)[entry.name]
    assert result.scores == result.max_scores, f"{entry.what}: lost points, because {result.messages}"


@pytest.mark.parametrize("entry", WRONG, ids=ids)
def test_a_wrong_solution_loses_exactly_its_tasks(entry, graded):
    result = graded(entry.assignment)[entry.name]
    assert set(result.failed) == entry.fails, f"{entry.what}: {result.messages}"
    assert all(result.scores[name] == 0 for name in entry.fails)


@pytest.mark.parametrize("entry", [entry for entry in WRONG if entry.told], ids=ids)
def test_a_wrong_solution_is_told_its_mistake(entry, graded):
    messages = graded(entry.assignment)[entry.name].messages
    assert any(entry.told in message for message in messages.values()), f"{entry.what}: {messages}"


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_at_least_four_in_five_wrong_solutions_are_told_their_mistake(assignment, graded):
    wrong = [entry for entry in WRONG if entry.assignment == assignment]
    told = [entry for entry in wrong if entry.told
            and any(entry.told in message for message in graded(assignment)[entry.name].messages.values())]
    assert len(told) >= 0.8 * len(wrong)


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_the_bank_is_large_enough_and_covers_every_task(assignment):
    entries = [entry for entry in ENTRIES if entry.assignment == assignment]
    right = sum(entry.is_right for entry in entries)
    assert right >= 12 and len(entries) - right >= 30
    assert set().union(*(entry.fails for entry in entries)) == set(Assignment.of(COURSE, assignment).points)
