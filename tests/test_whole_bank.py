"""Every right solution in the bank gets full marks, every wrong one loses its task's points, and is
told its mistake.

All are graded for real, once per assignment, by this project's engine. A solution cell is graded by
its own tests. A sample, and what is said of several cells, is graded as whole submissions, and the
sample by nbgrader's own engine too, which must give the same. `make bank` lets nbgrader grade all
of them.
"""

import os
from dataclasses import replace
from functools import cache

import pytest
from support.failures import all_are_right

from tests.bank_entries import (
    ASSIGNMENTS,
    COURSE,
    TRAINED,
    bank,
    each_assignment,
    is_told,
    lost_others,
    name_of,
    right,
    was_not_told,
    wrong,
)
from tools.bank import Assignment
from tools.bank_grading import (
    grade_warm,
    grade_with_engine,
    grade_with_nbgrader,
    stands_alone,
    tasks_by_name,
)

ALL_WITH_NBGRADER = os.environ.get("BANK") == "nbgrader"


def grade(assignment, folder):
    entries = bank(assignment)
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


@each_assignment
def test_right_solutions_get_full_marks(assignment, graded):
    results = graded(assignment)

    def is_wrong(entry):
        result = results[entry.name]
        if result.scores != result.max_scores:
            return f"lost points: {result.scores} of {result.max_scores}, because {result.messages}"

    all_are_right(right(assignment), name_of, is_wrong)


@each_assignment
def test_wrong_solutions_lose_exactly_their_tasks(assignment, graded):
    results = graded(assignment)

    def is_wrong(entry):
        result = results[entry.name]
        if any(result.scores[name] for name in entry.fails):
            return f"has points for what it fails: {result.scores}"
        return lost_others(entry, result)

    all_are_right(wrong(assignment), name_of, is_wrong)


@each_assignment
def test_wrong_solutions_are_told_their_mistakes(assignment, graded):
    results = graded(assignment)

    all_are_right(
        [entry for entry in wrong(assignment) if entry.told],
        name_of,
        lambda entry: was_not_told(entry, results[entry.name]),
    )


@each_assignment
def test_at_least_four_in_five_wrong_solutions_are_told_their_mistake(assignment, graded):
    entries = [entry for entry in wrong(assignment) if not entry.is_sly]
    told = [entry for entry in entries if is_told(entry, graded(assignment)[entry.name])]
    assert len(told) >= 0.8 * len(entries)


# ---- A sample, as whole submissions and by nbgrader's own engine ---------------------------------


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


@cache
def sample(assignment):
    """Each 120th entry of the whole bank, of both kinds. What changes
    the whole process also changes the tests that follow where nbgrader runs all of them in one."""
    everything = [entry for each in ASSIGNMENTS for entry in bank(each)]
    return [
        spared_the_training(entry)
        for entry in everything[::120]
        if entry.assignment == assignment and not entry.name.endswith("globally")
    ]


@pytest.fixture(scope="session")
def graded_whole(tmp_path_factory):
    """The same for the sample, as whole submissions."""
    return cache(
        lambda assignment: grade_with_engine(
            COURSE, sample(assignment), tmp_path_factory.mktemp(f"{assignment}_whole")
        )
    )


@pytest.fixture(scope="session")
def graded_by_nbgrader(tmp_path_factory):
    """The same for the sample, graded by nbgrader's own engine."""
    return cache(
        lambda assignment: grade_with_nbgrader(
            COURSE, sample(assignment), tmp_path_factory.mktemp(f"{assignment}_sample")
        )
    )


@each_assignment
def test_whole_submissions_lose_no_more(assignment, graded_whole):
    results = graded_whole(assignment)

    all_are_right(
        sample(assignment), name_of, lambda entry: lost_others(entry, results[entry.name])
    )


@each_assignment
def test_nbgraders_own_engine_gives_the_same(assignment, graded_whole, graded_by_nbgrader):
    ours, theirs = graded_whole(assignment), graded_by_nbgrader(assignment)

    def is_wrong(entry):
        here, there = ours[entry.name], theirs[entry.name]
        if here.scores != there.scores:
            return f"{here.scores} here, {there.scores} there: {there.messages}"
        if is_told(entry, here) != is_told(entry, there):
            return f"told otherwise: {here.messages} here, {there.messages} there"

    all_are_right(sample(assignment), name_of, is_wrong)
