"""Notebooks take the checks from utils, which hands on all of them."""

import checks
import utils


def test_utils_hands_on_every_name_of_checks():
    missing = {name for name in checks.__all__ if not hasattr(utils, name)}
    assert missing == set(), "add them to the imports of utils.py"
