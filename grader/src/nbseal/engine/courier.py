"""The process that speaks with a Dask cluster, for a command that does not.

Dask's parts trust each other: what a scheduler or a worker sends, its clients unpickle. So the
client lives in a process of its own, which knows no secret but the orders it carries, may do
nothing but connect to the scheduler, and hands on bytes that the command checks. Frames:

    > {"bundle": digest}               its blob: files that orders share
    > {"send": 7, "bundle": digest}    its blob: an order, kept here until its result has come
    < {"result": 7, "begun": 1}        its blob: what came back; how often the order was begun
    < {"lost": 7, "why": ...}          the cluster has given this order up
    < {"hosts": 3, "threads": 12}      what there is now
    < {"gone": ...}                    nothing more will come; a sentence says why
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from nbseal import confine, wire
from nbseal.engine.remote import LARGEST, Host
from nbseal.errors import CourseError

CONNECT_SECONDS, ASK_SECONDS, WATCH_SECONDS = 15.0, 5.0, 0.5
DEFAULT_PORT = 8786  # Dask's
CERTIFICATES = ("ca-file", "client.cert", "client.key")  # in Dask's configuration


class Refused(Exception):
    """A machine takes no orders: another version, an open boundary, a full disk. Its address, and
    a sentence."""


_host = cache(Host)  # one in a process


def run_order(data: bytes, bundle: bytes, digest: str, topic: str, number: int) -> bytes:
    """What a worker of the cluster does with an order."""
    from distributed import get_worker

    worker = get_worker()
    worker.log_event(topic, number)
    try:
        return _host().execute(data, bundle, digest, worker.state.nthreads)
    except (CourseError, OSError) as error:
        raise Refused(worker.address, f"{socket.gethostname()}: {error}") from None


class Courier:
    """Orders under way, and the client that carries them."""

    def __init__(self, channel: wire.Channel, address: str, patience: float):
        """patience: seconds without a scheduler, or without a worker that is of use, before all is
        given up."""
        self._channel, self._address, self._patience = channel, address, patience
        self._lock, self._speaking = threading.RLock(), threading.Lock()
        self._bundles: dict[str, bytes] = {}
        self._there: dict[str, Any] = {}  # bundles that the cluster has
        self._orders: dict[int, tuple[bytes, str]] = {}  # those that have not come back
        self._flying: dict[int, Future] = {}
        self._begun: dict[int, int] = {}
        self._refused: dict[str, str] = {}  # machines that are of no use, and why
        self._useful: list[str] = []
        self._topic = f"nbseal-{os.urandom(8).hex()}"
        self._client: Any = None
        self._comm: object = None

    def serve(self) -> None:
        """Carry orders until the command closes its end."""
        from distributed import Client

        try:
            self._client = Client(  # type: ignore[no-untyped-call]
                self._address, timeout=CONNECT_SECONDS, set_as_default=False
            )
        except Exception as error:  # Dask has many: of the address, of TLS, of versions, of time
            said = [*str(error).strip().splitlines(), repr(error)][0]
            gone = f"no Dask scheduler can be used at {self._address} ({said}): see whether it runs"
            gone += ", and whether the address is what it printed when it started."
            return self._tell({"gone": gone})
        self._client._timeout = self._patience  # how long it tries to find a lost scheduler again
        self._is_connected()  # hears from the first order on
        threading.Thread(target=self._watch, daemon=True).start()
        while True:
            message, blob = self._channel.receive()
            with self._lock:
                if "send" in message:
                    self._orders[message["send"]] = blob, message["bundle"]
                    self._send(message["send"])
                else:
                    self._bundles[message["bundle"]] = blob

    def _tell(self, message: dict, blob: bytes = b"") -> None:
        with self._speaking, suppress(wire.Closed):  # then `serve` sees it too, and ends
            self._channel.send(message, blob)

    def _send(self, number: int) -> None:
        data, digest = self._orders[number]
        if digest not in self._there:
            # a task of its own, so that the cluster can make it again where its holder is lost
            bundle = self._bundles[digest]
            self._there[digest] = self._client.submit(bytes, bundle, key=f"nbseal-{digest}")
        only: dict[str, Any] = {}
        if self._refused and self._useful:
            only = {"workers": self._useful, "allow_other_workers": True}
        executor = self._client.get_executor(pure=False, **only)
        order = data, self._there[digest], digest, self._topic, number
        self._flying[number] = future = executor.submit(run_order, *order)
        future.add_done_callback(partial(self._came, number))

    def _came(self, number: int, future: Future) -> None:
        """Called in a thread of Dask's. What was cancelled, not by us, went with its scheduler: it
        is sent anew once there is one."""
        found, why = None, "what came back was damaged"
        try:
            found = future.result()
        except CancelledError:
            return
        except Refused as error:
            with self._lock:
                self._refused[error.args[0]] = error.args[1]
                self._begun.pop(number, 0)  # not beyond its first line
                return self._send(number)
        except Exception as error:  # Dask's, of the machine's, or of what was unpickled
            why = f"the cluster could not ({type(error).__name__}: {error})"[:500]
            if type(error).__name__ == "KilledWorker":
                why = "each of the cluster's workers that began it has died"
        with self._lock:
            if self._flying.get(number) is not future:
                return  # it was sent anew meanwhile
            del self._flying[number], self._orders[number]
            begun = self._begun.pop(number, 1)
        if isinstance(found, bytes):
            self._tell({"result": number, "begun": begun}, found)
        else:
            self._tell({"lost": number, "why": why})

    def _hear(self, event: tuple[float, int]) -> None:
        with self._lock:
            self._begun[event[1]] = self._begun.get(event[1], 0) + 1

    # -- watching ----------------------------------------------------------------------------------

    def _watch(self) -> None:
        heard = useful = time.monotonic()
        told, gone = dict[str, int](), ""
        while not gone:
            now = time.monotonic()
            if self._is_connected() and (workers := self._workers()) is not None:
                heard = now
                self._useful = [name for name in workers if name not in self._refused]
                useful = now if self._useful else useful
                used = [workers[name] for name in self._useful]
                hosts = len({one["host"] for one in used})
                there = {"hosts": hosts, "threads": sum(one["nthreads"] for one in used)}
                if there != told:
                    self._tell(told := there)
            if now - heard > self._patience:
                gone = f"the scheduler at {self._address} has not answered for "
                gone += f"{self._patience:.0f} s: see whether it runs and can be reached."
            elif max(now, heard) - useful > self._patience and self._refused:
                why = list(self._refused.values())[-1]
                gone = f"no machine of the cluster can be used; {why}"
            elif max(now, heard) - useful > self._patience:
                gone = f"the cluster at {self._address} has had no workers for "
                gone += f"{self._patience:.0f} s: start some, for example with `dask worker`."
            time.sleep(WATCH_SECONDS)
        self._tell({"gone": gone})

    def _is_connected(self) -> bool:
        """Whether there is a scheduler; what a lost one had is sent to the one that came in its
        place."""
        comm = self._client.scheduler_comm
        if self._client.status != "running" or comm is None:
            return False
        with self._lock:
            again = [number for number, future in self._flying.items() if future.cancelled()]
            if comm is not self._comm:
                self._comm, again = comm, list(self._flying)
                self._client.subscribe_topic(self._topic, self._hear)
            if again:
                self._there.clear()
            for number in sorted(again):
                self._send(number)
        return True

    def _workers(self) -> dict[str, dict] | None:
        """Address -> what the scheduler knows of a worker; None where it does not answer."""
        try:
            ask = self._client.scheduler.identity
            found = self._client.sync(ask, n_workers=-1, callback_timeout=ASK_SECONDS)
        except Exception:  # time, or a line that breaks at this moment: it is asked again
            return None
        return dict(found["workers"])


def _keep_to_itself(address: str) -> None:
    """Whoever has taken a machine of the cluster over may have this process run anything."""
    import dask.config

    named = [dask.config.get(f"distributed.comm.tls.{name}", None) for name in CERTIFICATES]
    port = DEFAULT_PORT
    with suppress(ValueError):  # of an address that nobody can connect to, as will be said
        port = urlsplit(address if "://" in address else f"tcp://{address}").port or port
    if sys.platform == "linux":
        files = [os.path.abspath(name) for name in named if name]
        confine.only_speak(port, [*dask.config.paths, *files])


def main() -> None:
    """The process, from exec to exit: descriptor of its socket, address, patience."""
    channel = wire.Channel(socket.socket(fileno=int(sys.argv[1])), max_blob=LARGEST)
    _keep_to_itself(sys.argv[2])
    with suppress(wire.Closed):  # the command has ended
        Courier(channel, sys.argv[2], float(sys.argv[3])).serve()
    os._exit(0)  # without waiting for Dask's threads
