"""Orders that go to a Dask cluster on this machine: a scheduler and workers, each in a folder of its
own. What is lost on the way must come back, once."""

import signal
import time
from collections import Counter

import pytest
from nbseal.engine.cluster import Cluster
from nbseal.engine.engine import Engine
from nbseal.records import Work
from support.dask_cluster import DaskCluster
from support.engine_tools import code, make_course, notebook, seen

IMPORTS = "from utils import *\nimport time"
TEST = code(
    "expect('visible', double(3), 6)\nx = sample(1, seed=1)[0]\nexpect('hidden', double(x), 2 * x)",
    "double_test",
    test=True,
)
SOURCE = notebook(IMPORTS, "def double(x):\n    return 2 * x", TEST)
PATIENCE = 30.0


def handed_in(number: int, seconds: float = 0.0):
    """Every second of them is right; each says in its output who it is."""
    how = "2 * x" if number % 2 else "x"
    return notebook(IMPORTS, f"def double(x):\n    time.sleep({seconds})\n    return {how}", TEST)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def dask(tmp_path):
    with DaskCluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="5s") as started:
        yield started


class Counted(Cluster):
    """Counts what is taken over."""

    def __init__(self, address: str, patience: float = PATIENCE):
        self.settled = Counter()
        super().__init__(address, patience)

    def _settle(self, number, execution=None, error=None):
        self.settled[number] += number in self._flying
        super()._settle(number, execution, error)


class Running:
    """A class that is graded on a cluster."""

    def __init__(self, course, dask: DaskCluster, patience: float = PATIENCE):
        self.cluster = Counted(dask.address, patience)
        self.engine = Engine(seen(course), elsewhere=self.cluster)
        self.futures = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.close()
        self.cluster.close()

    def prepare(self, **more):
        self.engine.prepare(SOURCE, SOURCE, name="n", **more)

    def hand_in(self, students: int, seconds: float = 0.0):
        for number in range(len(self.futures), len(self.futures) + students):
            work = Work(f"s{number}", "n", handed_in(number, seconds))
            self.futures.append(self.engine.submit(work))

    def wait_for(self, students: int):
        until = time.monotonic() + 60
        while sum(future.done() for future in self.futures) < students:
            assert time.monotonic() < until, "nothing comes back"
            time.sleep(0.05)

    def check(self):
        """All came back, each as it must, and once."""
        for number, future in enumerate(self.futures):
            [verdict] = future.result(timeout=120).verdicts
            assert verdict.passed == bool(number % 2), verdict
        assert set(self.cluster.settled.values()) == {1}
        assert not self.cluster._flying


def test_a_class_on_three_machines_with_nothing_of_this_ones_folders(course, dask, tmp_path):
    handed = tmp_path / "handed_in"
    handed.mkdir()
    (handed / "own.txt").write_text("mine")
    given = tmp_path / "given"
    given.mkdir()
    (given / "big.csv").write_text("1\n" * 1000)
    (handed / "big.csv").write_text("1\n" * 1000)
    for name in "abc":
        dask.start_worker(name)
    with Running(course, dask) as running:
        running.prepare(folder=given)
        running.hand_in(6)
        shows = notebook(
            IMPORTS,
            "print(open('own.txt').read(), len(open('big.csv').read()), open('new', 'w').write('x'))",
        )
        shown = running.engine.submit(Work("ada", "n", shows, handed)).result(timeout=60)
        running.check()
        assert running.cluster.said == "1 machine, 3 workers"
    assert "".join(o.text for o in shown.cells[1].outputs) == "mine 2000 1\n"
    assert ("new", b"x") in shown.files and not shown.repeated


def test_a_worker_is_killed_while_it_runs_one_and_another_joins(course, dask):
    for name in "abc":
        dask.start_worker(name)
    with Running(course, dask) as running:
        running.prepare()
        running.hand_in(12, seconds=0.5)
        running.wait_for(2)
        dask.kill_worker("a")
        dask.start_worker("d")
        running.wait_for(4)
        dask.kill_worker("b")
        running.check()


def test_the_scheduler_is_started_again(course, dask):
    for name in "abc":
        dask.start_worker(name)
    with Running(course, dask) as running:
        running.prepare()
        running.hand_in(8, seconds=0.5)
        running.wait_for(2)
        dask.kill_scheduler()
        time.sleep(1)
        dask.start_scheduler()
        for name in "def":
            dask.start_worker(name)
        running.check()


def test_a_worker_that_stalls_is_not_waited_for_and_its_late_word_not_counted(course, dask):
    for name in "abc":
        dask.start_worker(name)
    with Running(course, dask) as running:
        running.prepare()
        running.hand_in(9, seconds=1.0)
        running.wait_for(1)
        dask.workers["a"].send_signal(signal.SIGSTOP)
        running.check()
        dask.workers["a"].send_signal(signal.SIGCONT)
        running.hand_in(4)
        running.check()
