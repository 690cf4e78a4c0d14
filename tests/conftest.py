"""What all of these tests share."""

from support import quick_start  # noqa: F401 - before all others
from support.fixtures import grading, real, tiny  # noqa: F401 - fixtures
from support.levels import pytest_collection_modifyitems, pytest_runtest_protocol  # noqa: F401
