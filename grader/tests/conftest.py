"""What all of these tests share."""

from support.quick_start import pytest_collection_finish  # noqa: F401 - before all others

# isort: split
import signal

from support.fixtures import grading, tiny  # noqa: F401 - fixtures
from support.levels import pytest_collection_modifyitems, pytest_runtest_protocol  # noqa: F401
from support.one_engine import shared_engine  # noqa: F401 - a fixture
from support.postgresql import server  # noqa: F401 - a fixture
from support.sharing_out import pytest_xdist_make_scheduler  # noqa: F401 - a hook

# A job that a shell runs in the background ignores Ctrl-C, and so does all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
