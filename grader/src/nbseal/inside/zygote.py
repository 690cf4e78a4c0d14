"""The process that imports everything once and forks the others (engine/zygote.py starts and asks
it)."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import traceback

from nbseal import wire
from nbseal.checks import LIBRARIES
from nbseal.view import CourseView


def _serve(control: wire.Channel) -> None:
    from nbseal.inside import answer_key, worker
    from nbseal.inside.shell import Recorder, make_shell
    from nbseal.inside.warming import Warm, join_pages, warm_up

    roles = {"worker": worker.main, "answer key": answer_key.main}
    recorder = Recorder(1 << 20)
    warm = Warm(make_shell(recorder), recorder)
    while True:
        request, _ = control.receive(with_fds=1)
        _reap()
        if request["do"] == "warm":
            course = request["course"] and CourseView.of_json(request["course"])
            missing = warm_up(warm, request["modules"], course)
            library = next((name for name in LIBRARIES if name in sys.modules), "python")
            control.send({"missing": missing, "draws_with": library})
            continue
        (descriptor,) = control.received_fds
        if request["role"] == "worker":
            join_pages(warm)
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            control.close()
            _become(roles[request["role"]], socket.socket(fileno=descriptor), warm, parent)
        os.close(descriptor)
        control.send({"pid": pid})
        join_pages(warm)  # for the workers to come, while the answer key is at work


def _become(role, sock: socket.socket, warm, parent: int) -> None:
    """What a forked process does from here on. Does not return."""
    code = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with the zygote
        if os.getppid() == parent:
            role(sock, warm)
            code = 0
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)  # sys.stderr is the recorder's
    finally:
        os._exit(code)


def _reap() -> None:
    """Let go of children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def main() -> None:
    """The process, from exec to exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to handle
    sys.excepthook = lambda *error: traceback.print_exception(*error, file=sys.__stderr__)
    try:
        _serve(wire.Channel(socket.socket(fileno=int(sys.argv[1]))))
    except wire.Closed:
        pass  # the engine has ended
