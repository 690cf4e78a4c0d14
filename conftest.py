"""How tests are shared out between processes."""

import pytest
from hypothesis import settings

# The same examples in every run, however busy the machine: what fails here fails there.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests that look at one graded class run in one process."""
    from support.scheduling import BySharedClass

    return BySharedClass(config, log)
