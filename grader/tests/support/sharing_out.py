"""What the conftest.py of both test folders tells pytest: how tests are shared out between processes,
and that hypothesis draws the same examples in every run."""

import pytest
from hypothesis import settings
from support.scheduling import BySharedClass

# However busy the machine: what fails here fails there.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests that look at one graded class run in one process."""
    return BySharedClass(config, log)
