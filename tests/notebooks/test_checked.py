"""`nbseal check` finds nothing to say about this course's exercises."""

import pytest
from nbseal.authoring.check import check_notebook
from nbseal.notebook import files

from tests.course import COURSE


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_every_rule_holds_for_every_graded_cell(assignment):
    assert check_notebook(COURSE.view, files.read(COURSE.source_notebook(assignment))) == []
