"""How tests are shared out between processes."""

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests that look at one graded class run in one process."""
    from support.scheduling import BySharedClass

    return BySharedClass(config, log)
