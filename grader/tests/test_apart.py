"""What reads a student's text does so apart: a limit that it breaks ends that one reading."""

import ctypes
import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from nbseal import apart
from nbseal.apart import Apart, Raised, TooMuch
from support.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these limits")


def _spin(_: dict) -> dict:
    while True:
        pass


def _work(request: dict) -> dict:
    until = time.process_time() + request["seconds"]
    while time.process_time() < until:
        pass
    return {}


def _fill(_: dict) -> dict:
    return {"kept": [bytearray(64 << 20) for _ in range(1000)] and None}


def _nested(_: dict) -> dict:
    return _nested({})


KEPT: list[bytearray] = []


def _keep(request: dict) -> dict:
    """As a cache does."""
    KEPT.append(bytearray(request["of"]))
    return {"by": os.getpid()}


def _killed(request: dict) -> dict:
    """By somebody else, so often."""
    times = Path(request["times"])
    left = int(times.read_text())
    if left:
        times.write_text(str(left - 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return {"is": "read"}


TASKS = {
    "killed": _killed,
    "keep": _keep,
    "double": lambda request: {"is": 2 * request["of"], "by": os.getpid()},
    "spin": _spin,
    "work": _work,
    "sleep": lambda request: time.sleep(request["seconds"]) or {},
    "fill": _fill,
    "nested": _nested,
    "crash": lambda request: {"is": ctypes.string_at(0)},
    "leave": lambda request: os._exit(0),
    "long": lambda request: {"is": "x" * request["of"]},
    "fail": lambda request: {"is": 1 // 0},
    "full": lambda request: open("/dev/full", "wb", buffering=0).write(b"x") and {},
    "descriptors": lambda request: {
        "open": sorted(
            {os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.exists()}
        )
    },
    "handlers": lambda request: {
        "of": [int(signal.getsignal(one)) for one in (signal.SIGINT, signal.SIGTERM)]
    },
}


@pytest.fixture
def tasks(monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 1)
    monkeypatch.setattr(apart, "MEMORY", 256 << 20)
    tasks = Apart(TASKS, largest=1 << 20)
    yield tasks
    tasks.close()


def _works(tasks: Apart) -> int:
    reply = tasks.ask("double", {"of": 21})
    assert reply["is"] == 42 and reply["by"] != os.getpid()
    return reply["by"]


def test_one_process_does_one_thing_after_another(tasks):
    assert _works(tasks) == _works(tasks)


@pytest.mark.parametrize("what", ["spin", "fill", "nested", "crash", "leave"])
def test_what_breaks_a_limit_is_dropped_and_the_next_one_is_read(tasks, what):
    before, began = _works(tasks), time.monotonic()
    with pytest.raises(TooMuch, match="cannot be read"):
        tasks.ask(what, {})
    assert time.monotonic() - began < 20
    assert _works(tasks) != before
    assert not Path(f"/proc/{before}").exists()


def test_a_process_that_something_else_killed_is_no_fault_of_what_it_read(tasks, tmp_path):
    """A class lost a submission's points to a `kill -9` that had nothing to do with it."""
    (tmp_path / "times").write_text("1")
    assert tasks.ask("killed", {"times": str(tmp_path / "times")}) == {"is": "read"}
    (tmp_path / "times").write_text("2")  # and yet it does not go on forever
    with pytest.raises(TooMuch):
        tasks.ask("killed", {"times": str(tmp_path / "times")})


def test_who_is_never_done_is_waited_for_only_so_long(tasks, monkeypatch):
    monkeypatch.setattr(apart, "PATIENCE", 0.5)
    with pytest.raises(TooMuch):
        tasks.ask("sleep", {"seconds": 60})
    monkeypatch.setattr(apart, "PATIENCE", 60)
    _works(tasks)


def test_seconds_are_counted_for_each_request_alone(tasks):
    for _ in range(4):
        assert tasks.ask("work", {"seconds": 0.8}) == {}
    _works(tasks)


def test_what_one_request_leaves_behind_is_not_missing_for_the_next(tasks, monkeypatch):
    monkeypatch.setattr(apart, "KEPT", 64 << 20)
    by = [tasks.ask("keep", {"of": 100 << 20})["by"] for _ in range(5)]
    assert len(set(by)) == 5
    by = [tasks.ask("keep", {"of": 1 << 20})["by"] for _ in range(3)]
    assert len(set(by)) == 1


def test_a_reply_that_is_too_large_is_none(tasks):
    assert len(tasks.ask("long", {"of": 1 << 19})["is"]) == 1 << 19
    with pytest.raises(TooMuch):
        tasks.ask("long", {"of": 2 << 20})
    _works(tasks)


def test_what_a_task_raises_is_told(tasks):
    before = _works(tasks)
    with pytest.raises(Raised, match="^ZeroDivisionError: "):
        tasks.ask("fail", {})
    with pytest.raises(OSError) as raised:
        tasks.ask("full", {})
    assert raised.value.errno == errno.ENOSPC  # the machine's fault, as if it had happened here
    assert _works(tasks) == before


def test_it_holds_nothing_of_its_parents(tasks, tmp_path):
    with open(tmp_path / "gradebook.db", "wb"):
        opened = tasks.ask("descriptors", {})["open"]
    others = [
        name
        for name in opened
        if name != "/dev/null" and not name.startswith(("socket:", "/proc/"))
    ]
    assert not others and sum(name.startswith("socket:") for name in opened) == 1


def test_signals_are_its_parents_to_handle(tasks):
    assert tasks.ask("handlers", {})["of"] == [signal.SIG_IGN, signal.SIG_DFL]


def test_an_interrupted_request_is_forgotten(tasks):
    _works(tasks)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tasks.ask("sleep", {"seconds": 30})
    _works(tasks)


def test_threads_take_turns(tasks):
    found = []
    threads = [
        threading.Thread(target=lambda of=of: found.append(tasks.ask("double", {"of": of})["is"]))
        for of in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [2 * of for of in range(8)]


@pytest.mark.parametrize("doing", ["double", "spin"])
def test_it_ends_when_its_parent_is_killed(doing):
    code = (
        "import os, threading, time; from nbseal import apart; apart.SECONDS = 1\n"
        "def spin(request):\n    while True: pass\n"
        "tasks = apart.Apart({'double': lambda request: {'by': os.getpid()}, 'spin': spin})\n"
        "print(tasks.ask('double', {})['by'], flush=True)\n"
        f"threading.Thread(target=lambda: tasks.ask({doing!r}, {{}}), daemon=True).start()\n"
        "time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        if doing == "spin":
            idle = psutil.Process(child).cpu_times().user
            wait_until(lambda: psutil.Process(child).cpu_times().user > idle, "it was not asked")
        parent.kill()
    wait_until(lambda: not _runs(child), "it outlives its parent")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
