"""Which tests are `slow`, start an `engine` or a process, or look with a `browser`.

Each folder of tests says so in its levels.toml, for folders and files. Single tests say it by a
decorator. A test that is not marked `engine` may start no process, and fails where it does.
docs/testing.md says what `make test` leaves out.
"""

import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

MARKS = ("slow", "engine", "browser")
STARTS = {"os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}


@cache
def levels(folder: Path) -> dict[str, list[str]]:
    """What a folder of tests says: mark -> folders and files. Raises UsageError for what is not
    there."""
    path = folder / "levels.toml"
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    if other := said.keys() - set(MARKS):
        raise pytest.UsageError(f"{path}: {other.pop()!r} is none of {', '.join(MARKS)}")
    entries = {entry for entries in said.values() for entry in entries}
    if missing := sorted(entry for entry in entries if not (folder / entry).exists()):
        raise pytest.UsageError(f"{path} names what is not there: {', '.join(missing)}")
    return said


@cache
def marks_of(path: Path) -> tuple[str, ...]:
    """The marks that the levels.toml above a file gives its tests."""
    folder = next(parent for parent in path.parents if parent.name == "tests")
    file = path.relative_to(folder).as_posix()
    return tuple(
        mark
        for mark, entries in levels(folder).items()
        if any(entry == file or file.startswith(f"{entry}/") for entry in entries)
    )


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    for item in items:
        for mark in marks_of(item.path):
            item.add_marker(mark)


_running: list[pytest.Item] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.pop()


def _refuse_starts(event: str, _) -> None:
    if event in STARTS and _running and not _running[-1].get_closest_marker("engine"):
        raise AssertionError(f"{_running[-1].nodeid} starts a process: mark it `engine`")


sys.addaudithook(_refuse_starts)
