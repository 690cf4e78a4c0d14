"""A copy of the course for each guide."""

from pathlib import Path

import pytest
from support.postgresql import server  # noqa: F401 - a fixture

from tests.docs import guides


@pytest.fixture
def copy(tmp_path) -> Path:
    return guides.copy_of_course(tmp_path / "course")


@pytest.fixture
def handed_in(real):
    """A notebook as a student hands it in: handed_in(guides.WRONG)."""
    from tools.answers import build_submission, find_answer

    def make(solution: str):
        return build_submission(real, find_answer(real, guides.ASSIGNMENT, solution))

    return make
