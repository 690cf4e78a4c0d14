"""Every right solution in the bank gets full marks, every wrong one loses its task's points, and is
told its mistake.

All are graded for real, once per assignment, by this project's engine; each test then looks at one
solution. A solution cell is graded by its own tests. A sample, and what is said of several cells,
is graded as whole submissions, and the sample by nbgrader's own engine too, which must give the
same. `make bank` lets nbgrader grade all of them.
"""

import os
from dataclasses import replace
from functools import cache

import pytest
from nbseal.course import Course

from tests.course import ROOT
from tools.bank import Assignment, load_bank
from tools.bank_grading import (
    grade_warm,
    grade_with_engine,
    grade_with_nbgrader,
    stands_alone,
    tasks_by_name,
)

COURSE = Course.at(ROOT)
ASSIGNMENTS = COURSE.assignments()
ALL_WITH_NBGRADER = os.environ.get("BANK") == "nbgrader"
# Tasks that train a model for seconds.
TRAINED = {"04_deep_mlp": "train_names_model", "05_transformer_block": "train_names_model"}


def spared_the_training(entry):
    """The same, and for a wrong answer to something else than training: with that task left
    open. 200 trainings of the reference would tell nothing that those of the right ones do not."""
    task = TRAINED.get(entry.assignment)
    if task is None or entry.is_right or task in entry.cells:
        return entry
    return replace(
        entry,
        cells=entry.cells | {task: "raise NotImplementedError"},
        fails=entry.fails | Assignment.of(COURSE, entry.assignment).tests_of(task),
    )


ENTRIES = [entry for assignment in ASSIGNMENTS for entry in load_bank(COURSE, assignment)]
RIGHT = [entry for entry in ENTRIES if entry.is_right]
WRONG = [entry for entry in ENTRIES if not entry.is_right]

# Right ones first in each assignment, so some of both kinds; each takes a kernel. What changes the
# whole process also changes the tests that follow where nbgrader runs all of them in one.
SAMPLE = [
    spared_the_training(entry) for entry in ENTRIES[::120] if not entry.name.endswith("globally")
]


def name_of(entry):
    return f"{entry.assignment}/{entry.name}"


def entries_of(assignment, entries=ENTRIES):
    return [entry for entry in entries if entry.assignment == assignment]


def grade(assignment, folder):
    entries = entries_of(assignment)
    if ALL_WITH_NBGRADER:
        return grade_with_nbgrader(COURSE, entries, folder)
    tasks = tasks_by_name(COURSE, assignment)
    alone = [entry for entry in entries if stands_alone(entry, tasks)]
    several = [entry for entry in entries if not stands_alone(entry, tasks)]
    whole = grade_with_engine(COURSE, several, folder) if several else {}
    return grade_warm(COURSE, alone) | whole


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """assignment -> {entry name: result}, graded when first asked for."""
    return cache(lambda assignment: grade(assignment, tmp_path_factory.mktemp(assignment)))


@pytest.fixture(scope="session")
def graded_whole(tmp_path_factory):
    """The same for the sample, as whole submissions."""
    return cache(
        lambda assignment: grade_with_engine(
            COURSE, entries_of(assignment, SAMPLE), tmp_path_factory.mktemp(f"{assignment}_whole")
        )
    )


@pytest.fixture(scope="session")
def graded_by_nbgrader(tmp_path_factory):
    """The same for the sample, graded by nbgrader's own engine."""
    return cache(
        lambda assignment: grade_with_nbgrader(
            COURSE, entries_of(assignment, SAMPLE), tmp_path_factory.mktemp(f"{assignment}_sample")
        )
    )


@pytest.mark.parametrize("entry", RIGHT, ids=name_of)
def test_a_right_solution_gets_full_marks(entry, graded):
    result = graded(entry.assignment)[entry.name]
    assert result.scores == result.max_scores, (
        f"{entry.what}: lost points, because {result.messages}"
    )


@pytest.mark.parametrize("entry", WRONG, ids=name_of)
def test_a_wrong_solution_loses_exactly_its_tasks(entry, graded):
    result = graded(entry.assignment)[entry.name]
    assert set(result.failed) == entry.fails, f"{entry.what}: {result.messages}"
    assert all(result.scores[name] == 0 for name in entry.fails)


def is_told(entry, result):
    return entry.told is not None and any(
        entry.told in message for message in result.messages.values()
    )


@pytest.mark.parametrize("entry", [entry for entry in WRONG if entry.told], ids=name_of)
def test_a_wrong_solution_is_told_its_mistake(entry, graded):
    result = graded(entry.assignment)[entry.name]
    assert is_told(entry, result), f"{entry.what}: {result.messages}"


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_at_least_four_in_five_wrong_solutions_are_told_their_mistake(assignment, graded):
    wrong = [entry for entry in entries_of(assignment, WRONG) if not entry.is_sly]
    told = [entry for entry in wrong if is_told(entry, graded(assignment)[entry.name])]
    assert len(told) >= 0.8 * len(wrong)


@pytest.mark.parametrize("entry", SAMPLE, ids=name_of)
def test_a_whole_submission_loses_no_more(entry, graded_whole):
    result = graded_whole(entry.assignment)[entry.name]
    assert set(result.failed) == entry.fails, f"{entry.what}: {result.messages}"


@pytest.mark.parametrize("entry", SAMPLE, ids=name_of)
def test_nbgraders_own_engine_gives_the_same(entry, graded_whole, graded_by_nbgrader):
    ours, theirs = (
        graded_whole(entry.assignment)[entry.name],
        graded_by_nbgrader(entry.assignment)[entry.name],
    )
    assert ours.scores == theirs.scores, f"{entry.what}: {theirs.messages}"
    assert is_told(entry, ours) == is_told(entry, theirs), theirs.messages


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_bank_is_large_enough_and_covers_every_task(assignment):
    assert len(entries_of(assignment, RIGHT)) >= 12 and len(entries_of(assignment, WRONG)) >= 30
    tasks_that_are_failed = set().union(*(entry.fails for entry in entries_of(assignment)))
    assert tasks_that_are_failed == set(Assignment.of(COURSE, assignment).points)
