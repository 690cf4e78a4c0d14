"""The process that imports everything once and forks the others (engine/zygote.py starts and asks
it)."""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from typing import TYPE_CHECKING

from nbseal import wire
from nbseal.checks import LIBRARIES
from nbseal.inside.children import end_with_parent, let_go_of_the_ended
from nbseal.view import CourseView

if TYPE_CHECKING:
    from nbseal.inside.warming import Warm


def _begin(control: wire.Channel) -> None:
    from nbseal.inside.recording import Recorder
    from nbseal.inside.shell import make_shell
    from nbseal.inside.warming import Warm

    recorder = Recorder(1 << 20)
    _serve(control, Warm(make_shell(recorder), recorder))


def _serve(control: wire.Channel, warm: Warm) -> None:
    from nbseal.inside import answer_key, worker
    from nbseal.inside.warming import join_pages, warm_up

    roles = {"worker": worker.main, "answer key": answer_key.main}
    while True:
        try:
            request, _ = control.receive(with_fds=1)
        except wire.Closed:
            return  # the engine has ended
        let_go_of_the_ended()
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
        end_with_parent()
        if os.getppid() == parent:
            role(sock, warm)
            code = 0
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)  # sys.stderr is the recorder's
    finally:
        os._exit(code)


def main() -> None:
    """The process, from exec to exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to handle
    sys.excepthook = lambda *error: traceback.print_exception(*error, file=sys.__stderr__)
    _begin(wire.Channel(socket.socket(fileno=int(sys.argv[1]))))
