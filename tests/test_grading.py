"""Answers of the task files, graded for real, as whole submissions.

tests/test_tasks.py asks all of them in one process; here a few go the whole way, through this
project's engine and through nbgrader's own, which must give the same.
"""

from functools import cache

import pytest
from nbseal.authoring.compiling import compile_tasks
from nbseal.authoring.task_files import task_files
from nbseal.engine.engine import Engine
from support.failures import all_are_right

from tests.course import COURSE
from tools.answers import load_answers
from tools.grading import PATIENT, grade_in, grade_with_engine, grade_with_nbgrader

DECLARED = [name for name in COURSE.assignments() if task_files(COURSE, name)]

each_assignment = pytest.mark.parametrize("assignment", DECLARED)


@cache
def answers(assignment):
    return load_answers(COURSE, assignment)


def whole(assignment):
    """Right notebooks in other people's styles."""
    return [answer for answer in answers(assignment) if len(answer.cells) > 1]


def wrong(assignment):
    return [answer for answer in answers(assignment) if not answer.is_right]


def name_of(answer):
    return f"{answer.name} ({answer.what})"


def is_wrong(answer, result):
    """What is wrong with a result that has not lost exactly what its answer says."""
    if not answer.fails <= set(result.failed) <= answer.fails | answer.may_fail:
        return f"failed {sorted(result.failed)}, not {sorted(answer.fails)}: {result.messages}"


@pytest.fixture(scope="module")
def engine():
    with Engine(COURSE.view, workers=2, limits=PATIENT) as engine:
        yield engine


@each_assignment
def test_a_wrong_answer_to_each_task_loses_its_points_and_is_told_why(assignment, engine):
    compile_tasks(COURSE, assignment)
    first = {next(iter(answer.cells)): answer for answer in reversed(wrong(assignment))}
    results = grade_in(engine, COURSE, first.values())
    all_are_right(list(first.values()), name_of, lambda one: is_wrong(one, results[one.name]))
    for answer in first.values():
        told = "\n".join(results[answer.name].messages.values())
        assert answer.told in told, f"{answer.name} was not told {answer.told!r}, but {told}"


@each_assignment
def test_a_right_notebook_in_another_style_gets_all_points(assignment, tmp_path):
    right = whole(assignment)[0]
    results = grade_with_engine(COURSE, [right], tmp_path)
    assert is_wrong(right, results[right.name]) is None


@pytest.mark.slow
@each_assignment
def test_right_notebooks_in_all_styles_get_all_points(assignment, tmp_path):
    assert len(whole(assignment)) >= 6
    results = grade_with_engine(COURSE, whole(assignment), tmp_path)
    all_are_right(whole(assignment), name_of, lambda one: is_wrong(one, results[one.name]))


@pytest.mark.slow
@each_assignment
def test_nbgraders_own_engine_gives_the_same(assignment, tmp_path):
    few = [whole(assignment)[0], *wrong(assignment)[:: len(wrong(assignment)) // 6]]
    ours = grade_with_engine(COURSE, few, tmp_path / "ours")
    theirs = grade_with_nbgrader(COURSE, few, tmp_path / "theirs")
    for answer in few:
        assert ours[answer.name].scores == theirs[answer.name].scores, name_of(answer)
        assert is_wrong(answer, ours[answer.name]) is None
