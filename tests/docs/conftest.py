"""A copy of the course for each guide."""

from pathlib import Path

import pytest

from tests.docs import guides


@pytest.fixture
def copy(tmp_path) -> Path:
    return guides.copy_of_course(tmp_path / "course")


@pytest.fixture
def handed_in(real):
    """A notebook as a student hands it in: handed_in("wrong_ln_unbiased")."""
    from nbseal.authoring.bank import build_submission, load_bank

    def make(solution: str):
        [entry] = [entry for entry in load_bank(real, guides.ASSIGNMENT) if entry.name == solution]
        return build_submission(real, entry)

    return make
