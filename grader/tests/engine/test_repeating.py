"""How often a submission may run, and why: engine/pool.py decides it from what this side saw."""

import threading
import time
from dataclasses import replace

import pytest
from nbseal.engine import session
from nbseal.engine.pool import WorkerPool
from nbseal.engine.progress import how_it_ended, killed_from_outside
from nbseal.engine.turns import Turns
from nbseal.engine.worker import WorkerDied
from nbseal.records import CellOrder, Execution, Limits, Order, TestRecord, Work
from nbseal.view import CourseView
from support.engine_tools import code, notebook
from support.one_engine import limited
from support.processes import named, process_named
from support.waiting import wait_until

LIMITS = Limits(cell_seconds=10, session_seconds=100, cpu_seconds=30)
ORDER = Order(
    (CellOrder(0, "1"), CellOrder(1, "...", "a_test", True, 1)),
    CourseView("/course"),
    "key",
    LIMITS,
)
USAGE = {"status": 0, "cpu": 0.1, "memory": 0, "excess": None, "short": False}


class Script:
    """Stands where sessions are run: gives one result after another, and notes what was asked."""

    def __init__(self, *results):
        self.results, self.asked = list(results), []

    def __call__(self, order, worker, scratch, spent=0.0):
        self.asked.append((order, spent))
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


@pytest.fixture
def pool(monkeypatch):
    """Makes a pool whose sessions follow a script."""
    pools = []

    def make(*results):
        pool, script = WorkerPool(), Script(*results)
        pools.append(pool)
        monkeypatch.setattr(pool.zygote, "warm", lambda *_: "python")
        monkeypatch.setattr(pool, "_take", lambda: None)
        monkeypatch.setattr(session, "execute", script)
        return pool, script

    yield make
    for pool in pools:
        pool.close()


def ended(seconds=1.0, **fields):
    return Execution({}, {}, seconds, 0.5, 10, **fields)


def lost(seconds, shown):
    death = WorkerDied("the worker does not answer")
    death.seconds, death.begun, death.shown = seconds, True, shown
    return death


def test_a_submission_that_ends_well_runs_once(pool):
    pool, script = pool(ended())
    execution = pool.run(ORDER)
    assert len(script.asked) == 1 and not execution.repeated


def test_one_that_was_killed_runs_once_more_and_no_third_time(pool):
    pool, script = pool(ended(killed=True), ended(killed=True, problem="killed"))
    assert pool.run(ORDER).problem == "killed" and len(script.asked) == 2


def test_both_runs_share_the_time_of_one(pool):
    pool, script = pool(replace(ended(60.0, killed=True), cpu_seconds=12.7), ended(30.0))
    execution = pool.run(ORDER)
    assert [spent for _, spent in script.asked] == [0.0, 60.0]
    assert execution.seconds == 90.0 and execution.cpu_seconds == 13.2
    assert [order.limits.cpu_seconds for order, _ in script.asked] == [30, 18]


def test_what_is_said_of_the_processor_s_time_names_no_number_that_a_session_could_choose():
    usage = USAGE | {"status": -9, "cpu": 31.0}
    assert not any(map(str.isdigit, how_it_ended(usage, LIMITS)))


def test_no_time_left_is_no_second_run(pool):
    pool, script = pool(ended(99.5, killed=True, problem="it was killed"))
    assert pool.run(ORDER).problem == "it was killed" and len(script.asked) == 1


def test_a_lost_worker_s_seconds_count_too(pool):
    pool, script = pool(lost(40.0, False), ended(2.0))
    assert pool.run(ORDER).seconds == 42.0 and script.asked[1][1] == 40.0


@pytest.mark.parametrize("shown", [True, False])
def test_what_may_know_a_test_is_marked(pool, shown):
    pool, _ = pool(ended(killed=True, shown=shown), ended(shown=True))
    assert pool.run(ORDER).repeated is shown


def test_a_lost_worker_may_have_been_shown_a_test(pool):
    pool, _ = pool(lost(1.0, True), ended())
    assert pool.run(ORDER).repeated


def stuck(threads):
    record = TestRecord("a_test", "timed out", threads=threads)
    return Execution({}, {1: record}, 10.0, 1.0, 10)


def test_a_test_that_was_late_beside_threads_runs_without_a_fork_and_shows_nothing(pool):
    again = Execution({0: "printed"}, {1: TestRecord("a_test", "completed")}, 5.0, 1.0, 10)
    pool, script = pool(stuck(threads=2), again)
    execution = pool.run(ORDER)
    assert execution.tests[1].outcome == "completed" and execution.ran == {}
    assert script.asked[1][0].last_test_here and script.asked[1][1] == 10.0
    assert execution.seconds == 15.0


def test_a_test_that_was_late_alone_does_not_run_again(pool):
    pool, script = pool(stuck(threads=0))
    assert pool.run(ORDER).tests[1].outcome == "timed out" and len(script.asked) == 1


def test_late_tests_run_again_until_the_time_is_over(pool):
    cells = tuple(CellOrder(index, "...", f"test{index}", True, 1) for index in range(5))
    tests = {index: TestRecord(f"test{index}", "timed out", threads=1) for index in range(5)}
    first = Execution({}, tests, 50.0, 1.0, 10)
    pool, script = pool(first, *[replace(first, tests={}, seconds=25.0) for _ in range(5)])
    execution = pool.run(replace(ORDER, cells=cells))
    assert execution.seconds == 100.0 and len(script.asked) == 3


# ---- What counts as killed from outside ----------------------------------------------------------


@pytest.mark.parametrize(
    "usage, killed",
    [
        ({"status": -9}, True),
        ({"status": -9, "excess": "used more than 600 MB of memory"}, False),
        ({"status": -9, "cpu": 30.1}, False),  # the kernel's way to end who used up its time
        ({"status": -11}, False),
        ({"status": 137}, False),
        ({"status": 0}, False),
    ],
)
def test_killed_from_outside(usage, killed):
    assert killed_from_outside(USAGE | usage, LIMITS) is killed


def test_how_a_session_ended_tells_nothing_that_it_chose():
    told = {how_it_ended(USAGE | {"status": status}, LIMITS) for status in (0, 1, 77, 255, -6, -11)}
    assert told == {"exited or crashed"}


# ---- Turns ---------------------------------------------------------------------------------------


def test_whoever_is_alone_is_alone_and_others_are_beside_each_other():
    turns, inside, seen = Turns(), [], []

    def work(turn, name):
        with turn():
            inside.append(name)
            time.sleep(0.05)
            seen.append(sorted(inside))
            inside.remove(name)

    threads = [
        threading.Thread(target=work, args=(turns.alone if n in (3, 6) else turns.beside_others, n))
        for n in range(10)
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.005)
    for thread in threads:
        thread.join(10)
    assert len(seen) == 10 and [3] in seen and [6] in seen
    assert max(map(len, seen)) > 1


def test_one_that_waits_to_be_alone_goes_before_those_that_come_later():
    turns, order = Turns(), []
    first = threading.Event()

    def beside(name, wait=0.0):
        with turns.beside_others():
            first.set()
            time.sleep(wait)
            order.append(name)

    def alone():
        with turns.alone():
            order.append("alone")

    threads = [threading.Thread(target=beside, args=("first", 1.0))]
    threads[0].start()
    first.wait(5)
    threads.append(threading.Thread(target=alone))
    threads[1].start()
    wait_until(lambda: turns._waiting, "nobody waits to be alone")
    threads.append(threading.Thread(target=beside, args=("later",)))
    threads[2].start()
    for thread in threads:
        thread.join(10)
    assert order == ["first", "alone", "later"]


# ---- With real sessions --------------------------------------------------------------------------

TEST = code("expect('one', one(), sample(1, seed=1)[0] * 0 + 1)", "one_test", test=True)
ONE = code("def one(): return 1.0", "one", solution=True)
SOURCE = notebook(code("from utils import *", "setup"), ONE, TEST)


@pytest.fixture(scope="module")
def engine(shared_engine):
    with limited(shared_engine, LIMITS) as engine:
        engine.prepare(SOURCE, SOURCE, name="n")
        yield engine


def submit(engine, *cells):
    setup = code("from utils import *", "setup")
    return engine.submit(Work("ada", "n", notebook(setup, *cells)))


def kill_session(marker):
    """Kill the first process of the session whose code has named its process so."""
    wait_until(lambda: process_named(marker), "the session is not at work").kill()


def test_a_session_that_something_kills_after_a_test_is_repeated_and_marked(engine):
    running = submit(engine, ONE, TEST, f"{named('at_work')}import time; time.sleep(3)")
    kill_session("at_work")
    result = running.result(60)
    assert result.problem is None and result.repeated
    assert [verdict.passed for verdict in result.verdicts] == [True]


def test_a_session_that_only_closes_its_line_is_not_repeated(engine):
    close = (
        "import os, time\n"
        "[os.close(n) for n in range(3, 60) if os.path.exists(f'/proc/self/fd/{n}')]\n"
        "time.sleep(5)"
    )
    result = submit(engine, ONE, TEST, close).result(60)
    assert not result.repeated and result.problem


def test_a_test_that_kills_itself_is_not_repeated(engine):
    began = time.monotonic()
    bad = "import os\ndef one(): os.kill(os.getpid(), 9)"
    result = submit(engine, bad, TEST, "import time; time.sleep(1)").result(60)
    assert not result.repeated and not result.verdicts[0].passed
    assert result.seconds < time.monotonic() - began
