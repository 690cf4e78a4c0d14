"""Warm workers: ready, alone, without secrets, and replaceable at any moment."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest
from nbseal.engine import session, worker, zygote
from nbseal.engine.pool import WorkerPool
from nbseal.engine.worker import WorkerDied
from nbseal.records import CellOrder, Limits, Order
from support.engine_tools import make_course, seen
from support.processes import has_ended, named, process_named
from support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return seen(make_course(tmp_path_factory.mktemp("course")))


@pytest.fixture
def pool():
    pool = WorkerPool()
    yield pool
    pool.close()


def order(course, *sources, **fields):
    cells = tuple(CellOrder(index, source) for index, source in enumerate(sources))
    return Order(cells, course, "key", **{"limits": Limits(cell_seconds=20)} | fields)


def said(execution, index=0):
    return execution.ran[index].messages.decode()


def processes(pool):
    """The processes of a pool's workers: the one that was started, and the one inside its
    namespace."""
    return [
        child
        for worker in pool._all
        for child in [
            psutil.Process(worker.process.pid),
            *psutil.Process(worker.process.pid).children(recursive=True),
        ]
    ]


def test_sessions_know_nothing_of_each_other(pool, course):
    first = pool.run(
        order(course, "import random, sys; sys.leak = 1; open('file', 'w'); random.random()")
    )
    second = pool.run(
        order(
            course,
            "import os; print(hasattr(sys, 'leak') if 'sys' in dir() else 'no sys', os.listdir())",
        )
    )
    assert first.problem is None and "no sys ['checks', 'utils.py']" in said(second)


def test_the_checks_are_the_same_modules_under_each_of_their_names(pool, course):
    names = "checks.tasks is nbseal.checks.tasks, utils.expect is nbseal.checks.expecting.expect"
    execution = pool.run(
        order(course, f"import utils, checks.tasks, nbseal.checks.expecting\nprint({names})")
    )
    assert said(execution).count("True True") == 1


def test_a_worker_has_one_thread_and_none_of_the_instructor_s_environment(
    pool, course, monkeypatch
):
    monkeypatch.setenv("COURSE_DB", "postgresql://user:password@host/gradebook")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    execution = pool.run(
        order(
            course, "import os; print(sorted(os.environ)); print(open('/proc/self/environ').read())"
        )
    )
    assert (
        "COURSE_DB" not in said(execution)
        and "SECRET" not in said(execution)
        and "OMP_THREAD_LIMIT" in said(execution)
    )
    assert all(process.num_threads() == 1 for process in processes(pool))
    assert not any("password" in str(process.environ()) for process in processes(pool))


def test_a_session_holds_its_own_socket_and_nothing_else(pool, course):
    execution = pool.run(
        order(
            course,
            "import os; print([os.readlink(f'/proc/self/fd/{n}').split(':')[0] for n in "
            "os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}') or True][3:])",
        )
    )
    # the channel, and the pair by which asyncio wakes itself
    assert said(execution).count("socket") <= 3


def test_modules_are_imported_before_the_fork(pool, course):
    execution = pool.run(
        order(
            course,
            "import sys; print('colorsys' in sys.modules)",
            modules=("colorsys", "no_such_module"),
        )
    )
    assert "True" in said(execution)


def test_a_worker_that_is_killed_is_replaced_and_its_submission_tried_again(pool, course):
    pool.run(order(course, "1"))
    victims = processes(pool)

    def kill_them():
        wait_until(lambda: process_named("at_work"), "no cell is at work")
        for victim in victims:
            victim.kill()

    killing = threading.Thread(target=kill_them)
    killing.start()
    execution = pool.run(
        order(course, f"{named('at_work')}import time; time.sleep(1.5); print('done')")
    )
    killing.join()
    assert execution.problem is None and "done" in said(execution)


def test_a_worker_that_hangs_is_replaced(pool, course, monkeypatch):
    pool.run(order(course, "1"))
    for process in processes(pool):
        process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(worker.WarmWorker.ask, "__defaults__", (1.0, ()))
    execution = pool.run(order(course, "print('done')"))
    assert execution.problem is None and "done" in said(execution)


def test_a_submission_that_takes_two_workers_along_is_reported_not_raised(
    pool, course, monkeypatch
):
    def dies(*_):
        raise WorkerDied("the worker does not answer")

    monkeypatch.setattr(session, "execute", dies)
    execution = pool.run(order(course, "1"))
    assert "could not be run" in execution.problem and not execution.ran


def test_too_much_memory_is_named(pool, course):
    limits = Limits(memory_bytes=600 << 20, cell_seconds=20)
    execution = pool.run(
        order(course, "x = bytearray(2 << 30)", "print('still here')", limits=limits)
    )
    assert "MemoryError" in said(execution) and "still here" in said(execution, 1)


def test_processes_that_use_too_much_together_are_ended(pool, course):
    greedy = (
        "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(200 << 20); time.sleep(30)\n"
        "time.sleep(30)"
    )
    execution = pool.run(
        order(course, greedy, limits=Limits(memory_bytes=600 << 20, cell_seconds=20))
    )
    assert "used more than 600 MB of memory" in execution.problem


def test_nothing_outlives_a_session(pool, course):
    pool.run(order(course, "1"))
    before = {process.pid for process in processes(pool)}
    pool.run(
        order(
            course,
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(60)\n    os._exit(0)",
        )
    )
    assert {process.pid for process in processes(pool)} == before


def test_a_worker_s_memory_and_descriptors_stay_flat(pool, course):
    cells = order(course, "x = bytearray(20 << 20); print('x' * 10000)")
    for _ in range(3):
        pool.run(cells)
    inner = max(processes(pool), key=lambda process: process.memory_info().rss)
    memory, descriptors = inner.memory_info().rss, inner.num_fds()
    for _ in range(25):
        pool.run(cells)
    assert inner.memory_info().rss - memory < 4 << 20 and inner.num_fds() <= descriptors


def test_the_workers_of_a_killed_engine_end(tmp_path, course):
    endless = f"{named('its_work')}while True: pass"
    script = tmp_path / "grade.py"
    script.write_text(
        f"import sys, time; sys.path.insert(0, {str(ROOT)!r})\n"
        "from nbseal.records import CellOrder, CourseView, Order\nfrom nbseal.engine.pool import WorkerPool\n"
        f"pool = WorkerPool(); pool.run(Order((), {course!r}, 'k')); print('ready', flush=True)\n"
        f"pool.run(Order((CellOrder(0, {endless!r}),), {course!r}, 'k'))"
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdout.readline() == "ready\n"
        wait_until(lambda: process_named("its_work"), "no cell is at work")
        family = psutil.Process(engine.pid).children(recursive=True)
        assert len(family) >= 3
        os.kill(engine.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=10)
    assert not alive


def test_the_deadline_of_a_whole_notebook(pool, course):
    limits = Limits(cell_seconds=10, session_seconds=2)
    execution = pool.run(
        order(
            course,
            "import time; time.sleep(1.2)",
            "time.sleep(1.2)",
            "print('never')",
            limits=limits,
        )
    )
    assert "longer than 2 s" in execution.problem and 2 not in execution.ran


# --------------------------------------------------------------------------------------------------
# A zygote that is started before it is needed
# --------------------------------------------------------------------------------------------------


def test_a_nursery_started_ahead_has_what_utils_imports(tmp_path):
    (tmp_path / "utils.py").write_text(
        "import colorsys\nfrom wsgiref.util import guess_scheme\n    import nothing\n"
    )
    (tmp_path / "nbgrader_config.py").write_text('nbseal.configure(c, course_files=["utils.py"])')
    taken = zygote.start_ahead(tmp_path)
    wait_until(lambda: taken._warmed, "it is not warm")
    pool = WorkerPool(taken)
    try:
        (tmp_path / "utils.py").unlink()
        execution = pool.run(
            order(
                seen(tmp_path),
                "import sys; print('colorsys' in sys.modules, 'wsgiref.util' in sys.modules)",
            )
        )
        assert "True True" in said(execution)
    finally:
        pool.close()


def test_an_abandoned_nursery_ends_at_once_and_is_not_started_again(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text('nbseal.configure(c, course_files=["utils.py"])')
    taken = zygote.start_ahead(tmp_path)
    taken.warm((), None)
    process = taken._process
    taken.abandon()
    assert process.wait(5) == -signal.SIGKILL
    with pytest.raises(zygote.ZygoteDied, match="ended"):
        taken.warm(("colorsys",), None)


def test_a_command_that_has_nothing_to_grade_leaves_no_process(tmp_path):
    code = (
        "import time; from pathlib import Path; from nbseal.engine import zygote; ahead = zygote.start_ahead(Path.cwd())\n"
        "while ahead._process is None: time.sleep(0.01)\n"
        "time.sleep(1.5); print(ahead._process.pid)"
    )
    # it hears nothing for a while
    (tmp_path / "utils.py").write_text(
        "import seaborn\nimport sklearn.ensemble\nimport torch._dynamo\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    wait_until(lambda: has_ended(int(done.stdout)), "it outlives the command")
