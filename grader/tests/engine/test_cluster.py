"""Orders that go to a Dask cluster on this machine: a scheduler and workers, each in a folder of its
own. What is lost on the way must come back, once."""

import signal
import socket
import subprocess
import time
from collections import Counter

import pytest
from nbseal.engine import cluster as module
from nbseal.engine.cluster import Cluster
from nbseal.engine.engine import Engine, EngineError
from nbseal.engine.executions import NotRun
from nbseal.records import Work
from support.dask_cluster import DaskCluster
from support.engine_tools import code, make_course, notebook, seen
from support.processes import named, process_named
from support.waiting import wait_until

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
        self.engine = Engine(seen(course), cluster=self.cluster)
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
        wait_until(
            lambda: sum(future.done() for future in self.futures) >= students, "nothing comes back"
        )

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
        # what was begun on those may have been seen: nothing of it is shown
        assert 0 < sum(future.result().repeated for future in running.futures) <= 2


def test_what_ends_its_workers_is_left_ungraded_and_the_others_are_not(course, tmp_path):
    setting = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with DaskCluster(tmp_path, **setting) as dask:
        dask.start_worker("a")
        with Running(course, dask) as running:
            running.prepare()
            waits = notebook(IMPORTS, f"{named('at_work')}time.sleep(20)", TEST)
            ends_it = running.engine.submit(Work("e", "n", waits))
            wait_until(lambda: process_named("at_work"), "the cluster does not begin it")
            dask.start_worker("b")
            dask.kill_worker("a")
            with pytest.raises(NotRun, match="each of the cluster's workers that began it has"):
                ends_it.result(timeout=60)
            running.hand_in(2)
            running.check()


def test_the_scheduler_is_started_again(course, dask):
    for name in "abc":
        dask.start_worker(name)
    with Running(course, dask) as running:
        running.prepare()
        running.hand_in(8, seconds=0.5)
        running.wait_for(2)
        dask.kill_scheduler()
        dask.no_worker_is_left()
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
        dask.scheduler.send_signal(signal.SIGSTOP)
        running.hand_in(3)
        time.sleep(3)  # a stall, in which nothing can be waited for
        dask.scheduler.send_signal(signal.SIGCONT)
        running.check()
        dask.workers["a"].send_signal(signal.SIGCONT)
        running.hand_in(4)
        running.check()


def preload(folder, text: str) -> list[str]:
    """A file that a worker runs as it starts, before it takes orders."""
    path = folder / "preload.py"
    path.write_text(text)
    return ["--preload", str(path)]


OTHER = (
    "from nbseal.engine import remote\n"
    "here = remote.versions()\n"
    "remote.versions = lambda: here | {'torch': '1.0'}\n"
)
OPEN = (
    "from nbseal.engine import remote\n"
    "from nbseal.errors import CourseError\n"
    "def opened(accept):\n    raise CourseError('this host would let a submission cross 1 boundary (tcp)')\n"
    "remote.require_closed = opened\n"
)


@pytest.mark.parametrize(
    "text, says", [(OTHER, "it has torch 1.0, and the machine that grades"), (OPEN, "(tcp)")]
)
def test_a_machine_that_may_not_is_passed_over_and_none_but_such_are_a_sentence(
    course, dask, tmp_path, text, says
):
    dask.start_worker("bad", *preload(tmp_path, text))
    dask.knows("bad")
    with Running(course, dask, patience=3) as running:
        with pytest.raises(EngineError, match="no machine of the cluster can be used") as told:
            running.prepare()
        assert says in str(told.value) and "the same command goes on" in str(told.value)
    dask.start_worker("good")
    with Running(course, dask) as running:
        running.prepare()
        running.hand_in(4)
        running.check()


def test_what_is_wrong_with_a_cluster_is_one_sentence(course, dask):
    with Running(course, dask, patience=2) as running:
        with pytest.raises(EngineError, match="has had no workers for 2 s: start some"):
            running.prepare()
    dask.start_worker("a")
    dask.knows("a")
    with Running(course, dask, patience=4) as running:
        running.prepare()
        dask.kill_scheduler()
        running.hand_in(2)
        with pytest.raises(EngineError, match=r"scheduler at tcp://.* has not answered for 4 s"):
            running.futures[0].result(timeout=60)
        with pytest.raises(EngineError):
            running.hand_in(1)
    for address in ("nonsense", "tcp://127.0.0.1:1", "http://x"):
        running = Running(course, type("At", (), {"address": address}))
        with (
            running,
            pytest.raises(EngineError, match=f"no Dask scheduler can be used at {address}"),
        ):
            running.prepare()


def test_without_dask_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"pip install nbseal\[cluster\]"):
        Cluster("tcp://127.0.0.1:1")


EVIL = """
import inspect
from nbseal.engine import courier
CODE = '''
import json, os, socket, struct, sys
def shut(what):
    try:
        what()
    except OSError:
        return True
tried = [
    shut(lambda: open(SECRET).read()),
    shut(lambda: open(MARK, "w")),
    shut(lambda: os.kill(os.getppid(), 0)),
    shut(lambda: os.listdir(f"/proc/{os.getppid()}/fd")),
    shut(lambda: socket.create_connection(("127.0.0.1", PORT))),
]
said = json.dumps({"gone": f"shut: {tried}"}).encode()
os.write(int(sys.argv[1]), struct.pack(">II", len(said), 0) + said)
'''
class Evil:
    def __reduce__(self):
        return exec, (CODE, {})
def run(*order):
    from nbseal.engine import courier
    return courier.Evil()
courier.run_order.__code__ = run.__code__
courier.Evil = Evil
"""


def test_a_machine_that_was_taken_over_gets_no_further_than_the_courier(course, dask, tmp_path):
    """What is hidden in its answer as a pickle runs there, and can tell no more than any answer."""
    (tmp_path / "secret").write_text("42")
    with socket.create_server(("127.0.0.1", 0)) as server:
        known = {"SECRET": tmp_path / "secret", "MARK": tmp_path / "mark"}
        text = EVIL.replace("PORT", str(server.getsockname()[1]))
        for name, path in known.items():
            text = text.replace(name, repr(str(path)))
        dask.start_worker("evil", *preload(tmp_path, text))
        with Running(course, dask, patience=10) as running:
            with pytest.raises(EngineError, match="shut: ") as told:
                running.prepare()
    assert "shut: [True, True, True, True, True]" in str(told.value)
    assert not (tmp_path / "mark").exists()


def test_the_line_to_a_cluster_is_encrypted_where_its_address_says_so(
    course, tmp_path, monkeypatch
):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1"]
        + ["-days", "1", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", str(certificate))
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT", str(certificate))
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY", str(key))
    with DaskCluster(tmp_path / "dask", "tls") as dask:
        dask.start_worker("a")
        with Running(course, dask) as running:
            running.prepare()
            running.hand_in(2)
            running.check()
        monkeypatch.delenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT")
        with Running(course, dask) as running:
            with pytest.raises(EngineError, match="no Dask scheduler can be used at tls://"):
                running.prepare()
