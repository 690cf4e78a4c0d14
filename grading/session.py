"""One submission being executed: the student's side of the wire.

A session is forked from a warm worker, confined, and then does what its supervisor says, one request at a time:

    seed    seed the global random generators
    cell    run a cell and report its outputs
    test    fork; the child asks for the sealed test, evaluates its answers, sends them, and dies
    here    run a sealed test in this very process, as the last thing it does
    files   send the files that the cells wrote

Everything in this process may be read and changed by the student's code. So nothing secret is here before a test (the
key and the sealed source arrive in the forked child), and nothing that decides a score is ever here: what leaves are
outputs and answers, and both are treated on the other side as what they are, claims of a student's process.
"""

from __future__ import annotations

import ast
import asyncio
import base64
import gc
import inspect
import json
import os
import random
import select
import signal
import socket
import stat
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from grading import sealing, wire
from grading.recording import CapturedDescriptors, Recorder, run_cell
from grading.records import Limits, NotAnswer
from grading.warming import Warm

MAX_ERROR = 4000
MAX_OUTLINE = 2 << 20  # bytes of JSON in one answer


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
        handlers = {"seed": self._seed, "cell": self._cell, "test": self._test, "here": self._here, "files": self._files}
        while True:
            try:
                request, _ = self.channel.receive()
            except wire.Closed:
                return
            reply, data = await handlers[request["do"]](request)
            self.channel.send({"did": request["token"], **reply}, data)

    async def _seed(self, request: dict) -> tuple[dict, bytes]:
        seed_everything(request["seed"])
        return {}, b""

    async def _cell(self, request: dict) -> tuple[dict, bytes]:
        self.recorder.begin()
        try:
            reply = await run_cell(self.warm.shell, request["source"])
        except KeyboardInterrupt:  # the interrupt came while IPython was tidying up after the cell
            reply = {"status": "error", "ename": "KeyboardInterrupt", "evalue": "", "traceback": []}
        except Exception as error:  # IPython itself failed, on a source that is no text or after being patched
            reply = {"status": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": []}
        return _bounded(reply), self.recorder.messages()

    async def _test(self, request: dict) -> tuple[dict, bytes]:
        """Fork the test's child, wait for it, and say how it ended. What it answers goes past this process."""
        self.warm.shell.execution_count += 1  # as if the cell had run here
        threads = _threads()
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)  # what a test starts ends with it
                self._become_test(request["token"])
            finally:
                os._exit(0)
        status = _wait(child, request["seconds"])
        how = "timed out" if status is None else "exited" if status == 0 else "died" if status != signal.SIGKILL else "killed"
        return {"how": how, "threads": threads}, b""

    def _become_test(self, token: str) -> None:
        gc.freeze()
        _mute(self.recorder)
        self.channel.send({"ready": token})
        test, _ = self.channel.receive()
        self.channel.send(TestRun(self.warm, self.channel, self.limits, token).run(test))

    async def _here(self, request: dict) -> tuple[dict, bytes]:
        _mute(self.recorder)
        self.channel.send(TestRun(self.warm, self.channel, self.limits, request["token"]).run(request))
        return {"how": "exited", "threads": _threads()}, b""

    async def _files(self, request: dict) -> tuple[dict, bytes]:
        """Files in the scratch folder that the cells made or changed, as JSON of base64."""
        found, room = {}, request["room"]
        for name, about in _list(self.folder).items():
            if about != self.files_before.get(name) and about[1] <= room:
                room -= about[1]
                found[name] = base64.b64encode((self.folder / name).read_bytes()).decode()
        return {}, json.dumps(found).encode("utf-8", "surrogatepass")


class TestRun:
    """A sealed test cell at work in a forked child."""

    __test__ = False  # not a pytest class

    def __init__(self, warm: Warm, channel: wire.Channel, limits: Limits, token: str):
        self.shell, self.course, self.channel, self.token = warm.shell, warm.course, channel, token
        self.room = limits.answer_bytes

    def run(self, test: dict) -> dict:
        """Run the sealed source with the key; returns the closing report."""
        names = self.shell.user_ns
        for course in {id(module): module for module in (self.course, sys.modules.get("utils")) if module}.values():
            if hasattr(course, "set_key"):
                course.set_key(test["key"])
        names |= {sealing.PRIVATE + name: value for name, value in self._course_names().items()}
        try:
            self._execute(test["source"], names)
        except BaseException as error:  # whatever a student's code raises, SystemExit included, is the test's result
            return {"end": "raised", "token": self.token, "error": _describe(error), "used": self._used()}
        return {"end": "completed", "token": self.token, "error": None, "used": self._used()}

    def _course_names(self) -> dict[str, Any]:
        names = {name: getattr(self.course, name) for name in sealing.KEPT_NAMES if hasattr(self.course, name)}
        return names | {"expect": self._expect}

    def _execute(self, source: str, names: dict) -> None:
        code = compile(source, "<test>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)

    def _expect(self, label: Any, answer: Any) -> None:
        """What `expect` is inside a sealed cell: copy the answer and send it out."""
        if hasattr(self.course, "_by_hand"):
            self.course._by_hand.raise_violation(str(label))
        outline, blob = wire.pack(self._snapshot(answer), self.room)
        if len(json.dumps(outline)) > MAX_OUTLINE:
            outline, blob = wire.pack(NotAnswer("more than can be compared"))
        self.room -= len(blob)
        self.channel.send({"answer": str(label)[:1000], "outline": outline, "token": self.token}, blob)

    def _snapshot(self, answer: Any) -> Any:
        try:
            return self.course.snapshot(answer)
        except self.course.NotAnAnswer as error:
            return NotAnswer(str(error))
        except Exception as error:  # an object whose own methods fail while it is copied
            return NotAnswer(f"something that cannot be copied ({type(error).__name__})")

    def _used(self) -> list[str]:
        violation = getattr(getattr(self.course, "_by_hand", None), "violation", None)
        return [violation] if violation else []


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


def seed_everything(seed: int) -> None:
    """Seed the global random generators that are loaded."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _describe(error: BaseException) -> dict:
    """An exception for the trusted side: its name, its text, and where in the student's cells it came from."""
    try:
        text = str(error)
    except Exception:
        text = ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _ours(frame.filename)]
    where = "".join(traceback.format_list(frames[-8:]))
    return {"ename": type(error).__name__[:100], "evalue": text[:MAX_ERROR], "traceback": where[-MAX_ERROR:]}


def _ours(filename: str) -> bool:
    return filename.startswith(str(Path(__file__).parent))


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


def _threads() -> int:
    """Threads of this process beside the main one."""
    try:
        return len(os.listdir("/proc/self/task")) - 1
    except OSError:
        import threading

        return threading.active_count() - 1


def _wait(child: int, seconds: float) -> int | None:
    """Wait for a child; kill it after so many seconds. Returns its wait status, None when it was killed for time."""
    deadline = time.monotonic() + seconds
    try:
        descriptor = os.pidfd_open(child)
    except (AttributeError, OSError):
        descriptor = None
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            status = None
            break
        if descriptor is not None:
            select.select([descriptor], [], [], left)
        else:
            time.sleep(min(left, 0.002))
    if descriptor is not None:
        os.close(descriptor)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    return status


def start(warm: Warm, sock: socket.socket, limits: Limits, folder: Path, links: dict[str, str]) -> None:
    """What a confined process does from its first line to its last. links: name -> path, to have in the working folder."""
    try:
        _look_like_a_kernel(folder, links)
        Session(warm, wire.Channel(sock), limits, folder).run()
    except wire.WireError:
        pass  # the supervisor is gone, or the student's code closed the socket: either way there is nobody to tell
    finally:
        os._exit(0)


def _look_like_a_kernel(folder: Path, links: dict[str, str]) -> None:
    """The working folder, import path and environment that a notebook's kernel has."""
    os.chdir(folder)
    for name, target in links.items():
        if not os.path.lexists(name):
            os.symlink(target, name)
    sys.argv[:] = ["ipykernel_launcher.py"]
    os.environ["PWD"] = str(folder)
