"""The same work on many things: in processes, with the results of a loop."""

import os

import pytest
from nbseal.errors import CourseError
from nbseal.pages.report import processes


@pytest.fixture
def two_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


@pytest.mark.parametrize("number", [0, 1, 199, 200, 1003])
def test_results_come_in_the_order_of_the_things(two_processors, number):
    done = processes.in_processes(lambda thing: (thing * 2, os.getpid()), list(range(number)))
    assert [twice for twice, _ in done] == [2 * thing for thing in range(number)]
    elsewhere = {process for _, process in done} - {os.getpid()}
    assert bool(elsewhere) == (number >= 2 * processes.WORTH_ONE)


@pytest.mark.parametrize("number", [10, 1000])
def test_what_work_raises_is_raised(two_processors, number):
    def work(thing):
        if thing == number // 2:
            raise CourseError("this one cannot be read.")

    with pytest.raises(CourseError, match="this one cannot be read"):
        processes.in_processes(work, list(range(number)))
