"""Every task file of the course holds: each mistake is refused and named by its own sentence, each
right variant is accepted, and what students get was made of it."""

import pytest
from nbseal.authoring.compiling import apart, hash_of, is_current, visible_file
from nbseal.authoring.task_files import task_files

from tests.course import COURSE

DECLARED = [name for name in COURSE.assignments() if task_files(COURSE, name)]

each = pytest.mark.parametrize("assignment", DECLARED)


def wrong(assignment, keys):
    """What `nbseal check` finds, but for how long it took: machines differ."""
    return [one for one in apart(COURSE, assignment, "prove", keys) if one["rule"] != "time"]


@each
def test_mistakes_are_named_and_right_variants_accepted(assignment):
    assert wrong(assignment, "1") == []


@pytest.mark.slow
@each
def test_no_right_variant_hangs_on_the_luck_of_a_key(assignment):
    assert wrong(assignment, "20") == []


@each
def test_tasks_json_was_made_of_the_files_of_today(assignment):
    assert is_current(visible_file(COURSE, assignment), hash_of(COURSE, assignment))


@each
def test_tasks_json_holds_no_mistakes_code_and_no_reference(assignment):
    text = visible_file(COURSE, assignment).read_text(encoding="utf-8")
    assert "# %%" not in text and "mistake(" not in text and "BEGIN SOLUTION" not in text
