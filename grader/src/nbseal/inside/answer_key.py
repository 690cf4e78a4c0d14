"""The answer key's process: runs the instructor's notebook once, and from then on forks
judges.

It keeps what every ``expect`` wanted; criteria and ``of`` functions run in judges forked from here
(inside/judging.py) and nowhere else.
"""

from __future__ import annotations

import asyncio
import gc
import io
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from pathlib import Path
from typing import Any

from nbseal import checks, wire
from nbseal.cells import declared, sealing
from nbseal.inside.audit import audit
from nbseal.inside.children import let_go_of_the_ended
from nbseal.inside.declared_tasks import expected_of
from nbseal.inside.judging import fork_judge
from nbseal.inside.shell import run_cell
from nbseal.inside.state import remember, seed_everything
from nbseal.inside.warming import Warm

MAX_ERRORS = 2000  # letters of what a test wrote to stderr


class Reference:
    """The reference run and what it expects."""

    def __init__(self, request: dict, warm: Warm):
        self.key = request["key"]
        self.check_seconds = request["check_seconds"]
        self.draws_with = request["draws_with"]
        self.watched = request["watched"]
        os.chdir(request["folder"])
        self.folder = Path.cwd()
        warm.recorder.muted = True
        self.shell = warm.shell
        if request["seed"] is not None:
            seed_everything(request["seed"])
        self.expectations: dict[str, list[Any]] = {}
        self.hidden: dict[str, list[bool]] = {}
        self.stderr: dict[str, str] = {}  # what each test wrote there
        # modules that were first imported in answer_key blocks, which no session runs
        self.for_the_key: set[str] = set()

    def run(self, cells: list) -> str | None:
        """Run all cells; returns the problem, if there is one."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        for number, (source, test, shown) in enumerate(cells, start=1):
            problem = loop.run_until_complete(
                self._test(source, test, shown) if test else self._cell(source)
            )
            if problem:
                return (
                    "The reference solution fails in "
                    f"{f'the test cell {test!r}' if test else f'code cell {number}'}: {problem}"
                )
        return None

    async def _cell(self, source: str) -> str | None:
        reply = await run_cell(self.shell, source)
        return None if reply["status"] == "ok" else f"{reply['ename']}: {reply['evalue']}"

    async def _test(self, source: str, test: str, shown: list[int]) -> str | None:
        """Run a full test cell; like a sealed one, it leaves nothing behind for the cells that
        follow. shown: the lines of the checks that students see."""
        expectations = self.expectations.setdefault(test, [])
        hidden = self.hidden.setdefault(test, [])
        written = io.StringIO()
        with _left_as_it_was(self.shell), redirect_stderr(written):
            checks.set_key(sealing.key_of(self.key, test))
            checks.draw_with(self.draws_with)
            self.shell.user_ns.update(self._course_names(expectations, hidden, shown))
            with checks.record_expectations(expectations):
                problem = await self._cell(source)
        self.stderr[test] = written.getvalue()[:MAX_ERRORS]
        if not problem and len(hidden) != len(expectations):
            return "it calls `expect` inside the course's own functions"
        return problem

    def _course_names(
        self, expectations: list, hidden: list[bool], shown: list[int]
    ) -> dict[str, Any]:
        def expect(*arguments, **options):
            before = len(expectations)
            line = sys._getframe(1).f_lineno
            try:
                return checks.expect(*arguments, **options)
            finally:
                hidden.extend([line not in shown] * (len(expectations) - before))

        def check(name: str, probes: str, is_hidden: bool) -> None:
            asked = expected_of(name, probes, is_hidden, self.shell.user_ns)
            expectations.extend(asked)
            hidden.extend([is_hidden] * len(asked))

        @contextmanager
        def answer_key():
            before = set(sys.modules)
            with checks.answer_key():
                yield
            self.for_the_key |= sys.modules.keys() - before

        def by_hand(target, *, without):
            """That the reference keeps to it is seen when it passes its own tests."""
            checks.refuse_unknown([without] if isinstance(without, str) else without)

        names = {name: getattr(checks, name) for name in sealing.COURSE_NAMES}
        names |= {"expect": expect, "answer_key": answer_key, declared.SEALED_NAME: check}
        return names if self.watched else names | {"by_hand": by_hand}

    def modules(self) -> list[str]:
        """What the run imported and any process could import again, in its order."""
        found = []
        lies_here = cache(lambda folder: Path(folder).resolve().is_relative_to(self.folder))
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            own = name.split(".")[0] in ("nbseal", "__main__", "__mp_main__")
            local = file and lies_here(os.path.dirname(file)) and lies_here(file)
            if not file:  # a folder without __init__.py
                local = any(map(lies_here, map(str, getattr(module, "__path__", ()))))
            if not own and not local and getattr(module, "__spec__", None) is not None:
                found.append(name)
        return found


@contextmanager
def _left_as_it_was(shell: Any) -> Iterator[None]:
    """Put names, the key and the global random state back: a sealed test runs in a process of its
    own and is gone."""
    put_back, key = remember(shell.user_ns), checks.current_key()
    try:
        yield
    finally:
        put_back()
        checks.set_key(key)


def _serve(channel: wire.Channel, warm: Warm) -> None:
    reference: Reference | None = None
    while True:
        request, _ = channel.receive(with_fds=1)
        let_go_of_the_ended()
        if request["do"] == "run":
            reference = Reference(request, warm)
            problem = reference.run(request["cells"])
            gc.collect()
            gc.freeze()  # judges are forked
            checks = {
                test: [
                    [e.label, hidden] for e, hidden in zip(found, reference.hidden.get(test, []))
                ]
                for test, found in reference.expectations.items()
            }
            channel.send(
                {
                    "problem": problem,
                    "checks": checks,
                    "imported": reference.modules(),
                    "for_the_key": sorted(reference.for_the_key),
                }
            )
        elif request["do"] == "judge":
            assert reference is not None, "it is run first"
            (descriptor,) = channel.received_fds
            fork_judge(channel, descriptor, reference.expectations, reference.check_seconds)
            os.close(descriptor)
            channel.send({})
        elif request["do"] == "audit":
            assert reference is not None, "it is run first"
            channel.send({"audit": audit(reference), "stderr": reference.stderr})


def main(sock: socket.socket, warm: Warm) -> None:
    """What a process forked from the zygote does as an answer key, until its socket closes."""
    try:
        _serve(wire.Channel(sock), warm)
    except wire.Closed:
        return  # the engine is done with it
