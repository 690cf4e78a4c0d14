"""One right and one wrong solution of each task get the points they should.

Always the same ones: the first of each kind in the task's file that is one cell, graded by that
cell's own tests. tests/test_whole_bank.py grades all of them.
"""

import pytest
from nbseal.authoring.compiling import compile_tasks
from nbseal.engine.engine import Engine
from support.failures import all_are_right

from tests.bank_entries import (
    COURSE,
    TRAINED,
    bank,
    each_assignment,
    lost_others,
    name_of,
    right,
    was_not_told,
    wrong,
)
from tools.bank import Assignment
from tools.bank_grading import PATIENT, grade_in, stands_alone, tasks_by_name


def fixed(assignment):
    """The first right and the first wrong entry of each task; none of those that train a model."""
    tasks, chosen = tasks_by_name(COURSE, assignment), {}
    for entry in bank(assignment):
        task = next(iter(entry.cells))
        if stands_alone(entry, tasks) and task != TRAINED.get(assignment):
            chosen.setdefault((task, entry.is_right), entry)
    return list(chosen.values())


@pytest.fixture(scope="module")
def engine():
    with Engine(COURSE.view, workers=2, limits=PATIENT) as engine:
        yield engine


@each_assignment
def test_a_right_and_a_wrong_solution_of_each_task(assignment, engine):
    compile_tasks(COURSE, assignment)
    entries = fixed(assignment)
    tasks = {next(iter(entry.cells)) for entry in entries}
    assert len(entries) == 2 * len(tasks)
    results = grade_in(engine, COURSE, entries)
    all_are_right(
        entries,
        name_of,
        lambda entry: (
            lost_others(entry, results[entry.name]) or was_not_told(entry, results[entry.name])
        ),
    )


@each_assignment
def test_the_bank_is_large_enough_and_covers_every_task(assignment):
    assert len(right(assignment)) >= 12 and len(wrong(assignment)) >= 30
    tasks_that_are_failed = set().union(*(entry.fails for entry in bank(assignment)))
    assert tasks_that_are_failed == set(Assignment.of(COURSE, assignment).points)
