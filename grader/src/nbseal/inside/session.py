"""One submission being executed: the student's side of the wire.

A session is forked from a warm worker, confined, and then does what its supervisor says, one
request at a time:

    seed    seed the global random generators
    cell    run a cell and report its outputs
    test    fork; the child asks for one sealed test after another, evaluates its answers, sends
    them, and dies
    here    run a sealed test in this very process, as the last thing it does
    files   send the files that the cells wrote

Everything in this process may be read and changed by the student's code. So nothing secret is here
before a test (the key and the sealed source arrive in the forked child), and nothing that decides a
score is ever here: what leaves are outputs and answers, and both are treated on the other side as
what they are, claims of a student's process.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from nbseal import wire
from nbseal.inside.recording import CapturedDescriptors, Recorder
from nbseal.inside.sealed_test import MAX_ERROR, Standing, TestRun, end_of_another
from nbseal.inside.shell import run_cell
from nbseal.inside.state import remember, seed_everything
from nbseal.inside.warming import Warm
from nbseal.records import Limits


class Session:
    """The request loop of a session."""

    def __init__(self, warm: Warm, channel: wire.Channel, limits: Limits, folder: Path):
        self.warm, self.channel, self.limits, self.folder = warm, channel, limits, folder
        self.recorder = warm.recorder
        self.recorder.descriptors = CapturedDescriptors()
        self.files_before = _list(folder)

    def run(self) -> None:
        """Serve requests until the other side closes."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        self.channel.send({"did": "start"})
        loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        handlers = {
            "seed": self._seed,
            "cell": self._cell,
            "test": self._test,
            "here": self._here,
            "files": self._files,
        }
        process = os.getpid()
        while True:
            try:
                request, _ = self.channel.receive()
            except wire.Closed:
                return
            if "do" in request:  # else a test that the process it was for did not live to take
                reply, data = await handlers[request["do"]](request)
                end_of_another(process)
                self.channel.send({"did": request["token"], **reply}, data)

    async def _seed(self, request: dict) -> tuple[dict, bytes]:
        seed_everything(request["seed"])
        return {}, b""

    async def _cell(self, request: dict) -> tuple[dict, bytes]:
        self.recorder.begin()
        self.recorder.max_bytes = request["room"]
        self.warm.shell.execution_count += request["tests_before"]  # as if they had run here
        try:
            reply = await run_cell(self.warm.shell, request["source"])
        except KeyboardInterrupt:  # the interrupt came while IPython was tidying up after the cell
            reply = {"status": "error", "ename": "KeyboardInterrupt", "evalue": "", "traceback": []}
        # IPython itself failed, on a source that is no text or after being patched
        except Exception as error:
            reply = {
                "status": "error",
                "ename": type(error).__name__,
                "evalue": str(error),
                "traceback": [],
            }
        return _bounded(reply), self.recorder.messages()

    async def _test(self, request: dict) -> tuple[dict, bytes]:
        """Fork the tests' child, wait for it, and say how it ended. What it answers goes past this
        process."""
        put_back = remember(self.warm.shell.user_ns)
        pipe: tuple[int, ...] = ()
        try:
            pipe = progress, done = os.pipe()
            child = os.fork()
        except OSError:  # the student's code has left no descriptor, or no process
            for descriptor in pipe:
                os.close(descriptor)
            return {"how": "died"}, b""
        if child == 0:
            try:
                os.setpgid(0, 0)  # what a test starts ends with it
                self._become_tests(request["tests"], put_back, lambda: os.write(done, b"."))
            finally:
                os._exit(0)
        os.close(done)
        status = _wait(
            child, request["seconds"], request["seconds_left"], progress, len(request["tests"])
        )
        os.close(progress)
        how = "timed out" if status is None else "exited" if status == 0 else "died"
        return {"how": how}, b""

    async def _here(self, request: dict) -> tuple[dict, bytes]:
        loop = asyncio.get_running_loop()
        # the test may run one of its own, as it may in a forked process
        asyncio._set_running_loop(None)
        self._become_tests(request["tests"], lambda: None, lambda: None)
        asyncio._set_running_loop(loop)
        return {"how": "exited"}, b""

    def _become_tests(
        self, tokens: list[str], put_back: Callable[[], object], say_done: Callable[[], object]
    ) -> None:
        """Run tests, each as if the ones before had not been."""
        gc.freeze()
        _mute(self.recorder)
        standing = Standing(self.warm.shell.user_ns) if len(tokens) > 1 else None
        for number, token in enumerate(tokens):
            put_back()
            if number:
                # before the next one begins: what the last has left may have finalizers
                gc.collect()
                if standing is not None and standing.has_changed():
                    return  # the others are asked for again, each in a process of its own
                say_done()
            self.channel.send({"ready": token})
            test, compiled = self.channel.receive()
            run = TestRun(self.warm, self.channel, self.limits, token)
            report = run.run(test, compiled)
            end_of_another(run.process)
            self.channel.send(report)
            run.release()

    async def _files(self, request: dict) -> tuple[dict, bytes]:
        """Files in the scratch folder that the cells made or changed, as JSON of base64."""
        found, room = {}, request["room"]
        for name, about in _list(self.folder).items():
            if about != self.files_before.get(name) and about[1] <= room:
                room -= about[1]
                found[name] = base64.b64encode((self.folder / name).read_bytes()).decode()
        return {}, json.dumps(found).encode("utf-8", "surrogatepass")


def _list(folder: Path) -> dict[str, tuple[int, int]]:
    """Relative path -> (time of the last change, size) of the regular files in a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            about = path.lstat()
            if stat.S_ISREG(about.st_mode):
                found[str(path.relative_to(folder))] = (about.st_mtime_ns, about.st_size)
    return found


def _bounded(reply: dict) -> dict:
    """A reply whose error text cannot grow the frame without limit."""
    if reply["status"] == "error":
        reply["ename"], reply["evalue"] = reply["ename"][:200], reply["evalue"][:MAX_ERROR]
        reply["traceback"] = [line[:MAX_ERROR] for line in reply["traceback"][:100]]
    return reply


def _mute(recorder: Recorder) -> None:
    """Discard all output from here on: what a test prints or draws is nobody's."""
    recorder.muted = True
    sink = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib"].interactive(False)


def _wait(child: int, seconds: float, seconds_left: float, progress: int, tests: int) -> int | None:
    """Wait for a child; kill it when one of its tests takes so many seconds, or all of them what is
    left for them.

    progress: a pipe that brings a byte when a test is done and the next one begins; there are so
    many tests.
    Returns its wait status, None when it was killed for time.
    """
    end = time.monotonic() + seconds_left
    deadline = min(time.monotonic() + seconds, end)
    try:
        descriptor = os.pidfd_open(child)
    except (AttributeError, OSError):
        descriptor = None
    while True:
        done, status = _collected(child, os.WNOHANG)
        if done:
            break
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            _collected(child, 0)
            status = None  # type: ignore[assignment]
            break
        watched = [
            watch for watch in (descriptor, progress if tests > 1 else None) if watch is not None
        ]
        ready, _, _ = select.select(
            watched, [], [], left if descriptor is not None else min(left, 0.002)
        )
        if progress in ready:
            finished = len(os.read(progress, 1))
            tests = tests - 1 if finished else 1  # at its end, nothing more comes
            deadline = min(time.monotonic() + seconds, end) if finished else deadline
    if descriptor is not None:
        os.close(descriptor)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    return status


def _collected(child: int, options: int) -> tuple[int, int]:
    """os.waitpid; of a child whose end something else has collected, as if it had exited."""
    try:
        return os.waitpid(child, options)
    except ChildProcessError:
        return child, 0


def start(
    warm: Warm, sock: socket.socket, limits: Limits, folder: Path, links: dict[str, str]
) -> None:
    """What a confined process does from its first line to its last. links: name -> path, to have in
    the working folder."""
    try:
        _look_like_a_kernel(folder, links)
        if warm.checks is not None:
            warm.checks.belongs_to_the_notebook(str(folder))
        Session(warm, wire.PacketChannel(sock), limits, folder).run()
    except wire.WireError:
        # the supervisor is gone, or the student's code closed the socket: either way there is
        # nobody to tell
        pass
    finally:
        os._exit(0)


def _look_like_a_kernel(folder: Path, links: dict[str, str]) -> None:
    """The working folder, import path and environment that a notebook's kernel has."""
    os.chdir(folder)
    for name, target in links.items():
        if not os.path.lexists(name):
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            os.symlink(target, name)
    sys.argv[:] = ["ipykernel_launcher.py"]
    os.environ["PWD"] = str(folder)
