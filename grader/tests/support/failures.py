"""One test for a whole class of cases, which names every case that is not as it must be."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def all_are_right(
    cases: Iterable[Case], name: Callable[[Case], str], wrong: Callable[[Case], object]
) -> None:
    """Fails with a line for each case of which `wrong` says something, and what it says."""
    cases = list(cases)
    assert cases, "there is no case to look at"
    found = [f"{name(case)}: {said}" for case in cases if (said := wrong(case))]
    assert not found, "\n".join([f"{len(found)} of {len(cases)} are wrong:", *found])
