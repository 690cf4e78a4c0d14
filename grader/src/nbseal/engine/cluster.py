"""A Dask cluster, as the engine sees it: orders go out, executions come back.

Whoever speaks with a cluster unpickles what it says. So this process never does: that is the
courier's (courier.py), and what the courier hands over is bytes, checked in executions.py.
"""

from __future__ import annotations

import importlib.util
import os
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
from nbseal.engine import remote
from nbseal.engine.executions import NotRun, unpack_execution
from nbseal.engine.prepared import EngineError
from nbseal.records import Execution, Order
from nbseal.view import CourseView

PATIENCE = 60.0  # seconds in which a scheduler may be restarted, or workers may come
NO_RUN = "This submission could not be run"
PASSED_ON = ("HOME", "USER", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")  # and DASK_*


class Cluster:
    """A cluster by address. Whoever makes it closes it."""

    def __init__(self, address: str, patience: float = PATIENCE):
        if importlib.util.find_spec("distributed") is None:
            raise EngineError(
                "a cluster needs Dask, which is not installed here: `pip install nbseal[cluster]`."
            )
        self.hosts = self.workers = 0
        self.gone: str | None = None  # why it is of no use any more
        self._numbers = count()
        self._lock = threading.RLock()
        # with each its digest, and those of the files in it that the instructor hands out
        self._bundles: dict[tuple[CourseView, Path | None], tuple[str, dict[str, str]]] = {}
        self._flying: dict[int, tuple[Order, Future[Execution]]] = {}
        self._channel, theirs = wire.Channel.pair()
        self._channel.max_blob = remote.LARGEST
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
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def said(self) -> str:
        """What there is now, in words."""
        return ", ".join(
            f"{number} {what}{'s' * (number != 1)}"
            for number, what in ((self.hosts, "machine"), (self.workers, "worker"))
        )

    def send(self, order: Order, given: Path | None) -> Future[Execution]:
        """Have an order executed. given: what the instructor hands out beside the notebook. The
        future raises EngineError where the cluster is of no use any more, and NotRun where it could
        not run this order."""
        future: Future[Execution] = Future()
        bundle, digests = self._bundle(order.course, given)
        data, number = remote.pack_order(order, digests), next(self._numbers)
        try:
            with self._lock:
                self._flying[number] = order, future
                self._say({"send": number, "bundle": bundle}, data)
        except wire.WireError as error:  # too large
            said = f"What was handed in cannot be sent: {error}."
            self._settle(number, error=NotRun(said))
        return future

    def _bundle(self, course: CourseView, given: Path | None) -> tuple[str, dict[str, str]]:
        with self._lock:
            if (course, given) not in self._bundles:
                data, digests = remote.pack_bundle(course, given)
                try:
                    self._say({"bundle": remote.digest(data)}, data)
                except wire.WireError as error:
                    raise EngineError(f"the course's files cannot be sent: {error}.") from None
                self._bundles[course, given] = remote.digest(data), digests
            return self._bundles[course, given]

    def _say(self, message: dict, blob: bytes = b"") -> None:
        """Raises EngineError once there is no courier any more. The courier always reads, so that
        this never waits for what it writes."""
        if self.gone is not None:
            raise EngineError(self.gone)
        with suppress(wire.Closed):  # `_listen` says why
            self._channel.send(message, blob)

    def _listen(self) -> None:
        gone = "the process that speaks with the cluster has ended"
        # the last of these: of a message that is none
        with suppress(wire.WireError, KeyError, TypeError, ValueError, AttributeError):
            while True:
                message, blob = self._channel.receive()
                if "gone" in message:
                    gone = str(message["gone"])
                    break
                self._take(message, blob)
        with self._lock:
            self.gone = f"{gone.rstrip('.')}. What is graded is saved: the same command goes on."
            left = list(self._flying)
        for number in left:
            self._settle(number, error=EngineError(self.gone))

    def _take(self, message: dict, blob: bytes) -> None:
        number = message.get("result", message.get("lost", -1))
        if "hosts" in message:
            self.hosts, self.workers = int(message["hosts"]), int(message["threads"])
        elif "lost" in message:
            self._settle(number, error=NotRun(f"{NO_RUN}: {message['why']}."))
        elif number in self._flying:
            try:
                execution = unpack_execution(blob, self._flying[number][0])
                # begun on a machine that was lost, too, where it may have seen a test
                if message["begun"] > 1:
                    execution = replace(execution, repeated=True)
                self._settle(number, execution)
            except wire.WireError as error:
                said = f"{NO_RUN}: what came back was damaged ({error})."
                self._settle(number, error=NotRun(said))

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
        self.gone = self.gone or "the engine is closed"
        self._process.kill()
        self._process.wait()
        self._listener.join()  # its channel has ended with the process
        self._channel.close()


def _environment() -> dict[str, str]:
    """What the courier gets of this process's environment: not the gradebook's password."""
    named = [name for name in os.environ if name in PASSED_ON or name.startswith("DASK_")]
    return worker_environment() | {name: os.environ[name] for name in named}
