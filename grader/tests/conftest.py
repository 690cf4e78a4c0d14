"""What all of these tests share."""

from support.fixtures import grading, real, tiny  # noqa: F401 - fixtures
from support.postgresql import server  # noqa: F401 - a fixture
