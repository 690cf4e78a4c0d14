"""Orders and what came of them, as files in a folder: for machines that allow no sockets.

    FOLDER/DIGEST.bundle    files that orders share
    FOLDER/NAME.order       an order; its name says what is asked, and not of whom
    FOLDER/NAME.result      what came back for it

The same bytes as a cluster carries. Nothing in the folder is ever overwritten, and what is there is
whole: a batch job that was killed is started again, and executes what has no result.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from nbseal import wire
from nbseal.engine import executions, orders
from nbseal.engine.executions import HostRefused, NotRun
from nbseal.engine.host import Host
from nbseal.engine.orders import Bundle
from nbseal.engine.prepared import EngineError
from nbseal.files import write_whole
from nbseal.records import Execution, Order
from nbseal.view import CourseView


class OrderFiles:
    """A folder of orders, on the side that writes them and judges what came of them."""

    takes_reference = False  # it is run here: before orders are written it has to pass
    workers, said, gone = 0, "", None

    def __init__(self, folder: Path, keys: Path, writing: bool):
        """keys: a file where the keys of this run are kept, on this machine; writing: orders are
        written under fresh keys, else results are read. Raises EngineError."""
        self._folder, self._keys, self._writing = folder, keys, writing
        self._bundles: dict[tuple[CourseView, Path | None], Bundle] = {}
        self._known: dict[str, str] = {}
        if writing:
            folder.mkdir(parents=True, exist_ok=True)
            if next(folder.glob("*.order"), None):
                raise EngineError(f"{folder} holds orders of an earlier run: name an empty folder.")
        else:
            self._known = _read_keys(keys)
        self.written: set[str] = set()

    def key_of(self, notebook: str) -> str:
        """The key under which a notebook is graded in this run."""
        if self._writing and notebook not in self._known:
            self._known[notebook] = secrets.token_hex(16)
            self._keys.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._keys, json.dumps(self._known).encode(), 0o600)
        if notebook not in self._known:
            raise EngineError(f"no orders were written for {notebook}: `nbseal orders` does it.")
        return self._known[notebook]

    def send(self, order: Order, given: Path | None) -> Future[Execution]:
        """Write an order; the future is not meant to be waited for. Or read what came of it."""
        future: Future[Execution] = Future()
        try:
            if (order.course, given) not in self._bundles:
                self._bundles[order.course, given] = orders.bundle(order.course, given)
            bundle = self._bundles[order.course, given]
            data = orders.pack_order(order, bundle)
            name = orders.identity(data)
            if self._writing:
                write_whole(self._folder / f"{bundle.digest}.bundle", bundle.data)
                write_whole(self._folder / f"{name}.order", data)
                self.written.add(name)
            else:
                future.set_result(self._came(name, order))
        except wire.WireError as error:
            future.set_exception(
                NotRun(f"What was to be sent or came back cannot be read: {error}.")
            )
        except NotRun as error:
            future.set_exception(error)
        return future

    def _came(self, name: str, order: Order) -> Execution:
        try:
            data = (self._folder / f"{name}.result").read_bytes()
        except FileNotFoundError:
            there = (self._folder / f"{name}.order").exists()
            todo = "`nbseal execute` its folder" if there else "write orders again"
            why = "its order has no result yet" if there else "no order asks what it holds now"
            raise NotRun(f"This submission was not run: {why}; {todo}.") from None
        try:
            return executions.unpack_execution(data, order)
        except HostRefused as refusal:
            raise NotRun(f"This submission was not run: {refusal}") from None

    def close(self) -> None:
        """Nothing is left to be done."""


def _read_keys(path: Path) -> dict[str, str]:
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError):
        return {}


def execute_all(
    folder: Path, workers: int, part: tuple[int, int], done: Callable[[int, int], object]
) -> int:
    """Execute the orders of a folder that have no result. Returns how many could not be executed.

    part: (2, 5) takes every fifth of the orders, beginning with the second; done: is told how many
    are done, of how many. Raises EngineError where this machine may not.
    """
    number, parts = part
    every = sorted(folder.glob("*.order"))
    if not every:
        raise EngineError(f"{folder} holds no orders: `nbseal orders` writes them.")
    mine = [path for path in every[number - 1 :: parts] if not path.with_suffix(".result").exists()]
    host, failed = Host(), 0
    try:
        with ThreadPoolExecutor(workers) as threads:
            running = [threads.submit(_execute, host, path, workers) for path in mine]
            try:
                for count, future in enumerate(as_completed(running), start=1):
                    failed += not future.result()
                    done(count, len(mine))
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
    finally:
        host.close()
    return failed


def _execute(host: Host, path: Path, threads: int) -> bool:
    """Execute one order and write its result; returns whether there is one. Raises EngineError
    where this machine may not execute any."""
    data = path.read_bytes()
    try:
        packed = orders.unpack_order(data)
        bundle = (path.parent / f"{packed.bundle}.bundle").read_bytes()
        came = host.execute(data, bundle, threads)
        executions.unpack_execution(came, packed.order)
    except HostRefused as refusal:
        raise EngineError(f"this machine takes no orders; {refusal}") from None
    except (NotRun, wire.WireError, FileNotFoundError):
        return False
    write_whole(path.with_suffix(".result"), came)
    return True
