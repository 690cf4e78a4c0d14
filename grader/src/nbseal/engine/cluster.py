"""A Dask cluster, as the engine sees it: orders go out, executions come back.

    cluster = Cluster("tls://scheduler.example.org:8786")
    cluster.send(order, None).result()      # an Execution

The engine's process never speaks with the cluster itself, since whoever does unpickles what the
cluster says: that is the courier's (courier.py). What it hands over is read here, as bytes.
"""

from __future__ import annotations

import importlib.util
import os
import queue
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from nbseal import wire
from nbseal.confine import worker_environment
from nbseal.engine import executions, orders
from nbseal.engine.executions import HostRefused, NotRun
from nbseal.engine.orders import Bundle
from nbseal.engine.prepared import EngineError
from nbseal.records import Execution, Order
from nbseal.view import CourseView

PATIENCE = 60.0  # seconds in which a scheduler may be restarted, or workers may come
PASSED_ON = ("HOME", "USER", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")  # and DASK_*


class Cluster:
    """A cluster by address. Whoever makes it closes it."""

    def __init__(self, address: str, patience: float = PATIENCE):
        if importlib.util.find_spec("distributed") is None:
            raise EngineError(
                "a cluster needs Dask, which is not installed here: `pip install nbseal[cluster]`."
            )
        self.address = address
        self.hosts = self.workers = 0
        self._numbers = count()
        self._lock = threading.Lock()
        self.gone: str | None = None  # why it is of no use any more
        self._bundles: dict[tuple[CourseView, Path | None], Bundle] = {}
        self._flying: dict[int, tuple[Order, bytes, str, Future[Execution]]] = {}
        self._channel, theirs = wire.Channel.pair()
        self._channel.max_blob = orders.LARGEST
        self._process = subprocess.Popen(
            # not `-m`: its functions, as `__main__`'s, would be unknown on other machines
            [sys.executable, "-P", "-c", "from nbseal.engine.courier import main; main()"]
            + [str(theirs.fileno()), address, str(patience)],
            pass_fds=(theirs.fileno(),),
            cwd="/",
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is the command's to handle
        )
        theirs.close()
        # sent by a thread of its own: neither who reads nor who writes may wait for the other side
        self._to_say: queue.SimpleQueue[tuple[dict, bytes] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=task, daemon=True) for task in (self._speak, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def said(self) -> str:
        """What there is now, in words."""
        return f"{_some(self.hosts, 'machine')}, {_some(self.workers, 'worker')}"

    def send(self, order: Order, given: Path | None) -> Future[Execution]:
        """given: what the instructor hands out beside the notebook. The future raises EngineError
        where the cluster is of no use any more, and NotRun where it could not run this order."""
        future: Future[Execution] = Future()
        try:
            bundle = self._bundle(order.course, given)
            data = orders.pack_order(order, bundle)
        except wire.WireError as error:
            future.set_exception(NotRun(f"What was handed in cannot be sent: {error}."))
            return future
        with self._lock:
            number = next(self._numbers)
            self._flying[number] = order, data, bundle.digest, future
            self._carry(number)
        return future

    def _bundle(self, course: CourseView, given: Path | None) -> Bundle:
        if (course, given) not in self._bundles:
            try:
                made = orders.bundle(course, given)
            except wire.WireError as error:
                raise EngineError(f"the course's files cannot be sent: {error}.") from None
            with self._lock:
                self._say({"bundle": made.digest}, made.data)
            self._bundles[course, given] = made
        return self._bundles[course, given]

    def _carry(self, number: int) -> None:
        _, data, digest, _ = self._flying[number]
        self._say({"send": number, "bundle": digest}, data)

    def _say(self, message: dict, blob: bytes = b"") -> None:
        """Raises EngineError once there is no courier any more."""
        if self.gone is not None:
            raise EngineError(self.gone)
        self._to_say.put((message, blob))

    def _speak(self) -> None:
        with suppress(wire.Closed):  # `_listen` says why
            while (said := self._to_say.get()) is not None:
                self._channel.send(*said)

    # -- what comes back ---------------------------------------------------------------------------

    def _listen(self) -> None:
        gone = "the process that speaks with the cluster has ended"
        # the last of these: of a message that is none
        with suppress(wire.WireError, KeyError, TypeError, ValueError, AttributeError):
            while True:
                message, blob = self._channel.receive()
                if "gone" in message:
                    gone = str(message["gone"])
                    break
                self._hear(message, blob)
        with self._lock:
            self.gone = f"{gone.rstrip('.')}. What is graded is saved: the same command goes on."
            left = list(self._flying)
        for number in left:
            self._settle(number, error=EngineError(self.gone))

    def _hear(self, message: dict, blob: bytes) -> None:
        if "hosts" in message:
            self.hosts, self.workers = int(message["hosts"]), int(message["threads"])
        elif "lost" in message:
            why = f"This submission could not be run: {message['why']}."
            self._settle(message["lost"], error=NotRun(why))
        else:
            self._take(message["result"], message["begun"], blob)

    def _take(self, number: int, begun: int, blob: bytes) -> None:
        if number not in self._flying:
            return
        order = self._flying[number][0]
        try:
            execution = executions.unpack_execution(blob, order)
        except HostRefused as refusal:
            with self._lock, suppress(EngineError):
                self._say({"refused": refusal.by, "why": str(refusal)})
                self._carry(number)
            return
        except NotRun as error:
            return self._settle(number, error=error)
        except wire.WireError as error:
            said = f"This submission could not be run: what came back was damaged ({error})."
            return self._settle(number, error=NotRun(said))
        if begun > 1:  # on a machine that was lost meanwhile, where it may have been shown a test
            execution = replace(execution, repeated=True)
        self._settle(number, execution)

    def _settle(
        self, number: int, execution: Execution | None = None, error: Exception | None = None
    ) -> None:
        with self._lock:
            *_, future = self._flying.pop(number, (None,))
        if future is None or not future.set_running_or_notify_cancel():
            return
        if error is not None:
            future.set_exception(error)
        elif execution is not None:
            future.set_result(execution)

    def close(self) -> None:
        """Let go of the cluster: what it has not begun it forgets."""
        with self._lock:
            self.gone = self.gone or "the engine is closed"
        self._to_say.put(None)
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()  # their channel has ended with the process
        self._channel.close()


def _some(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _environment() -> dict[str, str]:
    """What the courier gets of this process's environment: not the gradebook's password."""
    given = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith("DASK_")
    }
    return worker_environment() | given
