"""The process that speaks with a Dask cluster, for a command that does not.

Dask's parts trust each other: what a scheduler or a worker sends, its clients unpickle. So the
client lives in a process of its own, which knows no secret but the orders it carries, and hands on
bytes that the command checks (orders.py). The frames between the two:

    > {"bundle": digest}              its blob: files that orders share
    > {"send": 7, "bundle": digest}   its blob: an order
    > {"refused": address, "why": ...}    of no use: send it nothing more
    < {"result": 7, "begun": 1}       its blob: what came back; how often the order was begun
    < {"lost": 7, "why": ...}         the cluster has given this order up
    < {"hosts": 3, "threads": 12}     what there is now
    < {"gone": ...}                   nothing more will come; a sentence says why

An order stays the courier's until its result is here: when the scheduler was restarted, or the line
to it was cut, the courier sends anew what has not come back.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from nbseal import wire
from nbseal.engine.host import Host
from nbseal.engine.orders import LARGEST

CONNECT_SECONDS = 15.0  # for the first answer of a scheduler
RETRIES = 2  # by Dask, of an order that failed in Dask's own hands
WATCH_SECONDS = 0.5
DEFAULT_PORT = 8786  # Dask's
CERTIFICATES = ("ca-file", "client.cert", "client.key")  # in Dask's configuration
ASK_SECONDS = 5.0  # for the scheduler to say what it has


@cache
def _host(name: str) -> Host:
    return Host(name)


def run_order(data: bytes, bundle: bytes, topic: str, number: int) -> bytes:
    """What a worker of the cluster does with an order."""
    from distributed import get_worker

    worker = get_worker()
    worker.log_event(topic, {"begun": number})
    return _host(worker.address).execute(data, bundle, worker.state.nthreads)


class Courier:
    """Orders under way, and the client that carries them."""

    def __init__(self, channel: wire.Channel, address: str, patience: float):
        """patience: seconds without a scheduler, or without a worker that is of use, before all is
        given up."""
        self._channel, self._address, self._patience = channel, address, patience
        self._lock = threading.RLock()
        self._speaking = threading.Lock()
        self._bundles: dict[str, bytes] = {}
        self._there: dict[str, Any] = {}  # bundles that the cluster has
        self._orders: dict[int, tuple[bytes, str]] = {}
        self._flying: dict[int, Any] = {}  # Dask's futures
        self._again: set[int] = set()  # of these, those that Dask gave back
        self._begun: dict[int, int] = {}
        self._refused: dict[str, str] = {}
        self._useful: list[str] = []
        self._told: dict = {}
        self._topic = f"nbseal-{os.urandom(8).hex()}"
        self._client: Any = None
        self._comm: object = None

    # -- the command's side ------------------------------------------------------------------------

    def serve(self) -> None:
        """Carry orders until the command closes its end."""
        try:
            self._connect()
        except Exception as error:  # Dask has many: of the address, of TLS, of versions, of time
            said = str(error).strip().splitlines()
            self._give_up(
                f"no Dask scheduler can be used at {self._address} ({said[0] if said else error!r})"
                ": see whether it runs, and whether the address is what it printed when it started"
            )
            return
        threading.Thread(target=self._watch, daemon=True).start()
        while True:
            message, blob = self._channel.receive()
            with self._lock:
                if "send" in message:
                    self._orders[message["send"]] = blob, message["bundle"]
                    self._send(message["send"])
                elif "refused" in message:
                    self._refused[message["refused"]] = message["why"]
                else:
                    self._bundles[message["bundle"]] = blob

    def _tell(self, message: dict, blob: bytes = b"") -> None:
        with self._speaking, suppress(wire.Closed):  # then `serve` sees it too, and ends
            self._channel.send(message, blob)

    def _give_up(self, sentence: str) -> None:
        self._tell({"gone": f"{sentence}."})

    # -- the cluster's side ------------------------------------------------------------------------

    def _connect(self) -> None:
        from distributed import Client

        self._client = Client(  # type: ignore[no-untyped-call]
            self._address, timeout=CONNECT_SECONDS, set_as_default=False
        )
        self._client._timeout = self._patience  # how long it tries to find a lost scheduler again
        self._comm = self._client.scheduler_comm
        self._client.subscribe_topic(self._topic, self._hear)

    def _send(self, number: int) -> None:
        data, digest = self._orders[number]
        if digest not in self._there:
            # a task of its own, so that the cluster can make it again where its holder is lost
            self._there[digest] = self._client.submit(
                bytes, self._bundles[digest], key=f"nbseal-{digest}", retries=RETRIES
            )
        only: dict[str, Any] = {}
        if self._refused and self._useful:
            only = {"workers": self._useful, "allow_other_workers": True}
        # not by `get_executor`, whose future is never done where a result cannot be unpickled
        future = self._client.submit(
            run_order,
            data,
            self._there[digest],
            self._topic,
            number,
            pure=False,
            retries=RETRIES,
            **only,
        )
        self._flying[number] = future
        future.add_done_callback(partial(self._came, number))

    def _came(self, number: int, future: Any) -> None:
        """Called in a thread that Dask has for it."""
        if future.cancelled():
            found, why = None, ""
        else:
            try:
                found, why = future.result(), "what came back was damaged"
            except (Exception, asyncio.CancelledError) as error:  # Dask's, or of what was unpickled
                found, why = None, _told(error)
        with self._lock:
            if number not in self._flying or self._flying[number] is not future:
                return  # it was sent anew meanwhile
            if future.cancelled():  # not by us: the scheduler was lost
                self._again.add(number)
                return
            del self._flying[number], self._orders[number]
            begun = self._begun.pop(number, 1)
        if isinstance(found, bytes):
            self._tell({"result": number, "begun": begun}, found)
        else:
            self._tell({"lost": number, "why": why})

    def _hear(self, event: tuple) -> None:
        number = event[1]["begun"]
        with self._lock:
            self._begun[number] = self._begun.get(number, 0) + 1

    # -- watching ----------------------------------------------------------------------------------

    def _watch(self) -> None:
        heard = useful = time.monotonic()
        while True:
            time.sleep(WATCH_SECONDS)
            now = time.monotonic()
            if self._is_connected() and (workers := self._workers()) is not None:
                heard = now
                self._useful = [name for name in workers if name not in self._refused]
                useful = now if self._useful else useful
                self._report(workers)
            if now - heard > self._patience:
                return self._give_up(
                    f"the scheduler at {self._address} has not answered for "
                    f"{self._patience:.0f} s: see whether it runs and can be reached"
                )
            if max(now, heard) - useful > self._patience:
                return self._give_up(self._why_none())

    def _is_connected(self) -> bool:
        """Whether there is a scheduler; what a lost one had is sent to the one that came in its
        place."""
        comm = self._client.scheduler_comm
        if self._client.status != "running" or comm is None:
            return False
        with self._lock:
            again, self._again = self._again, set()
            if comm is not self._comm:
                self._comm, again = comm, set(self._flying)
                self._client.subscribe_topic(self._topic, self._hear)
            if again:
                self._there.clear()
            for number in sorted(again):
                self._send(number)
        return True

    def _workers(self) -> dict[str, dict] | None:
        """Address -> what the scheduler knows of a worker; None where it does not answer."""
        try:
            found = self._client.sync(
                self._client.scheduler.identity, n_workers=-1, callback_timeout=ASK_SECONDS
            )
        except Exception:  # time, or a line that breaks at this moment: it is asked again
            return None
        return dict(found["workers"])

    def _report(self, workers: dict[str, dict]) -> None:
        now = {
            "hosts": len({workers[name]["host"] for name in self._useful}),
            "threads": sum(workers[name]["nthreads"] for name in self._useful),
        }
        if now != self._told:
            self._told = now
            self._tell(now)

    def _why_none(self) -> str:
        if self._refused:
            return f"no machine of the cluster can be used; {list(self._refused.values())[-1]}"
        return (
            f"the cluster at {self._address} has had no workers for {self._patience:.0f} s: "
            "start some, for example with `dask worker`"
        )


def _told(error: BaseException) -> str:
    """Why Dask gave an order up."""
    if type(error).__name__ == "KilledWorker":
        return "each of the cluster's workers that began it has died"
    return f"the cluster could not ({type(error).__name__}: {error})"[:500]


def _keep_to_itself(address: str) -> None:
    """Whoever has taken a machine of the cluster over may have this process run anything."""
    import dask.config

    from nbseal import confine

    named = [dask.config.get(f"distributed.comm.tls.{name}", None) for name in CERTIFICATES]
    if sys.platform == "linux":
        files = [os.path.abspath(name) for name in named if name]
        confine.only_speak(_port(address), [*dask.config.paths, *files])


def _port(address: str) -> int:
    with suppress(ValueError):  # of an address that nobody can connect to, as will be said
        return urlsplit(address if "://" in address else f"tcp://{address}").port or DEFAULT_PORT
    return DEFAULT_PORT


def main() -> None:
    """The process, from exec to exit: descriptor of its socket, address, patience."""
    channel = wire.Channel(socket.socket(fileno=int(sys.argv[1])), max_blob=LARGEST)
    _keep_to_itself(sys.argv[2])
    with suppress(wire.Closed):  # the command has ended
        Courier(channel, sys.argv[2], float(sys.argv[3])).serve()
    os._exit(0)  # without waiting for Dask's threads
