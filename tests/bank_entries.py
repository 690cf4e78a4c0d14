"""What the tests of the bank share: its entries, and how a result is compared with what its entry
says."""

from functools import cache

import pytest

from tests.course import COURSE
from tools.bank import load_bank

ASSIGNMENTS = COURSE.assignments()
# Tasks that train a model for seconds.
TRAINED = {"04_deep_mlp": "train_names_model", "05_transformer_block": "train_names_model"}

each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS)


@cache
def bank(assignment):
    """All entries of an assignment, right ones first."""
    return load_bank(COURSE, assignment)


def right(assignment):
    return [entry for entry in bank(assignment) if entry.is_right]


def wrong(assignment):
    return [entry for entry in bank(assignment) if not entry.is_right]


def name_of(entry):
    return f"{entry.name} ({entry.what})"


def is_told(entry, result):
    return entry.told is not None and any(
        entry.told in message for message in result.messages.values()
    )


def lost_others(entry, result):
    """What is wrong with a result that has not lost exactly what its entry says."""
    if set(result.failed) != entry.fails:
        return f"failed {sorted(result.failed)}, not {sorted(entry.fails)}: {result.messages}"


def was_not_told(entry, result):
    if entry.told and not is_told(entry, result):
        return f"was not told {entry.told!r}: {result.messages}"
