"""The one engine of a test process, for all tests that are not about an engine's own life."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from nbseal.records import Limits
from support.engine_tools import make_course, seen


@pytest.fixture(scope="session")
def shared_engine(tmp_path_factory) -> Iterator:
    """An engine of the small course with two workers. Who uses it prepares a notebook, says the
    limits by `limited`, and kills nothing of it."""
    from nbseal.engine.engine import Engine

    with Engine(seen(make_course(tmp_path_factory.mktemp("course"))), workers=2) as engine:
        yield engine


@contextmanager
def limited(engine, limits: Limits) -> Iterator:
    """The engine, with other limits for what is submitted meanwhile."""
    before, engine.limits = engine.limits, limits
    try:
        yield engine
    finally:
        engine.limits = before
