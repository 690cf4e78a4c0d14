"""A warm worker: a process of its own that has imported everything and forks a session per submission.

It is started with ``exec``, knows no secret - no key, no test, no other student's work, no environment of the
instructor's - and can be killed and replaced at any moment. It never runs a student's code and stays single-threaded: a
process forked beside a running thread inherits that thread's locks, held forever.

Its control socket takes one request at a time: ``warm``, ``session`` (with the session's socket), ``interrupt``, ``end``.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import resource
import signal
import socket
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import ModuleType

from grading import session, wire
from grading.confinement import Confined, Confinement, ConfinementError, enter_worker, spawn_confined, worker_environment
from grading.recording import Recorder, RecordingShell, make_shell
from grading.records import Limits

# One thread everywhere, decided before the libraries are loaded: a child forked after a threaded matmul hangs.
ONE_THREAD = {name: "1" for name in ("OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                     "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS")}
ENVIRONMENT = ONE_THREAD | {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # as ipykernel sets it
    "PYTHONDONTWRITEBYTECODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "NBGRADER_EXECUTION": "autograde",  # how a notebook tells grading from validating
    # As ZMQInteractiveShell.init_environment, which a kernel has run before the first cell.
    "TERM": "xterm-color", "CLICOLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "PAGER": "cat", "GIT_PAGER": "cat",
}

WATCH_SECONDS = 0.2

# Run once before the first fork, so that no session pays for what these load lazily.
WARM_UP_CELLS = (
    "1 + 1",
    "def failing(x):\n    return 1 / x\nfailing(0)",
    "from IPython.display import display, clear_output\ndisplay({'a': 1})",
)


class Worker:
    """The process's side of the control socket."""

    def __init__(self, control: wire.Channel):
        self.control = control
        self.confined: Confined | None = None
        self.limits = Limits()
        self.excess: str | None = None
        self.recorder = Recorder(1 << 20)
        self.warm = session.Warm(make_shell(self.recorder), self.recorder, None)

    def serve(self) -> None:
        """Answer requests until the engine closes the socket; then take every session along."""
        handlers = {"warm": self._warm, "session": self._session, "interrupt": self._interrupt, "end": self._end}
        try:
            while True:
                while self.confined and not self.control.ready(WATCH_SECONDS):
                    self._watch()
                request, _ = self.control.receive(with_fds=1)
                self.control.send({"did": request["do"], **handlers[request["do"]](request)})
        except wire.Closed:
            self._end({})

    def _watch(self) -> None:
        """End a session whose processes use too much together; what one process may use, the kernel bounds."""
        if self.excess is None:
            self.excess = self.confined.excess(self.limits)
            if self.excess:
                os.kill(self.confined, signal.SIGKILL)

    def _warm(self, request: dict) -> dict:
        missing = warm_up(self.warm, request["modules"], request["course"])
        return {"missing": missing}

    def _session(self, request: dict) -> dict:
        (descriptor,) = self.control.received_fds
        self.limits = Limits(**request["limits"])
        self.recorder.max_bytes = self.limits.output_bytes
        scratch = Path(request["scratch"])
        confinement = Confinement.for_course(
            Path(request["course"]), scratch, limits=self.limits, folder=request["folder"] and Path(request["folder"]),
            accept_open=frozenset(request["accept_open"]))

        def main() -> None:
            session.start(self.warm, socket.socket(fileno=descriptor), self.limits, scratch, request["links"])

        self.excess, self.usage_before = None, resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            self.confined = spawn_confined(confinement, main, keep_fds=[descriptor])
        except ConfinementError as error:
            return {"problem": str(error)}
        finally:
            os.close(descriptor)
        return {}

    def _interrupt(self, _: dict) -> dict:
        if self.confined:
            os.kill(self.confined, signal.SIGINT)
        return {}

    def _end(self, _: dict) -> dict:
        """Kill the session with all its descendants; says how it had ended and what it used."""
        if self.confined is None:
            return {"status": 0, "cpu": 0.0, "memory": 0, "excess": None}
        confined, self.confined = self.confined, None
        memory = _peak_memory(confined)
        status = confined.end()
        before, after = self.usage_before, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"status": status, "cpu": cpu, "memory": memory, "excess": self.excess}


def _peak_memory(confined: Confined) -> int:
    """The most memory that the session's first process had, in bytes; 0 where it cannot be read any more."""
    name = "1/status" if confined.isolated else f"{confined.pid}/status"
    try:
        with open(os.open(name, os.O_RDONLY, dir_fd=confined.proc)) as file:
            lines = file.read().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


# ---------------------------------------------------------------------------------------------------------------------
# Warming up
# ---------------------------------------------------------------------------------------------------------------------


def warm_up(warm: session.Warm, modules: list[str], course: str | None) -> list[str]:
    """Import, touch what is loaded lazily, and freeze. Returns the modules that could not be imported."""
    if warm.frozen and not any(name not in sys.modules for name in modules):
        return []
    restore = _remember_names(warm.shell)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [name for name in modules if not _import(name)]
        if course and warm.course is None:
            warm.course = load_course(course)
        for cell in WARM_UP_CELLS:
            warm.shell.run_cell(cell, store_history=False)
        _touch_torch()
        _touch_matplotlib(warm)
        importlib.import_module("asyncio")
        if "torch" in sys.modules:
            importlib.import_module("safetensors.torch")
    restore()
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)
    warm.recorder.begin()
    warm.frozen = True
    gc.collect()
    gc.freeze()  # a collection in a forked child would otherwise touch, and so copy, every object: 250 ms
    join_pages()
    return missing


def _remember_names(shell: RecordingShell) -> Callable[[], None]:
    """Returns what puts the shell's names back to what they are now."""
    dictionaries = [(names, dict(names)) for names in (shell.user_ns, shell.user_ns_hidden)]
    results = {name: getattr(shell.displayhook, name) for name in ("_", "__", "___")}

    def restore() -> None:
        for names, before in dictionaries:
            names.clear()
            names.update(before)
        for name, value in results.items():
            setattr(shell.displayhook, name, value)
    return restore


def _import(name: str) -> bool:
    try:
        importlib.import_module(name)
    except Exception:  # a module that only works where the reference ran it; the student's own import will say more
        return False
    return True


def load_course(path: str) -> ModuleType | None:
    """A private copy of the course's utils.py, which a student's `import utils` does not reach; None where it has none."""
    file = Path(path) / "utils.py"
    if not file.is_file():
        return None
    if path not in sys.path:
        sys.path.insert(1, path)
    importlib.import_module("utils")
    spec = importlib.util.spec_from_file_location("_course_utils", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up while it is being executed
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def _touch_torch() -> None:
    """What torch loads on first use: autograd, layers, printing.

    The first optimizer loads another 700 modules (1.5 s, 75 MB that every fork pays for), so only where the reference
    run has loaded them, too.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), torch.nn.BatchNorm1d(3), torch.nn.ReLU())
    torch.nn.functional.cross_entropy(layer(torch.randn(4, 3)), torch.tensor([0, 1, 2, 0])).backward()
    if "torch._dynamo" in sys.modules:
        torch.optim.Adam(layer.parameters()).step()
    repr((torch.randn(2, 2), layer))
    torch.einsum("ij,jk->ik", torch.eye(2), torch.eye(2)).matmul(torch.eye(2)).var(0)
    torch.set_rng_state(state)


def _touch_matplotlib(warm: session.Warm) -> None:
    """The font cache, the first figure, and the inline backend's hold on the shell."""
    if "matplotlib" not in sys.modules:
        return
    warm.shell.run_cell("import matplotlib.pyplot as plt\nplt.subplots()[1].plot([1, 2], label='a')\nplt.title('a')",
                        store_history=False)
    sys.modules["matplotlib.pyplot"].close("all")


def join_pages() -> None:
    """Ask for huge pages under the heap: a fork copies one entry for each instead of 512, and takes a third of the time.

    Only an acceleration: where the kernel refuses (Linux before 6.1, no transparent huge pages) nothing is lost.
    """
    if sys.platform != "linux":
        return
    huge, MADV_HUGEPAGE, MADV_COLLAPSE = 2 << 20, 14, 25
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access, _, _, inode, *name = line.split()
        start, end = (int(address, 16) for address in span.split("-"))
        start, end = -(-start // huge) * huge, end // huge * huge
        if inode == "0" and access == "rw-p" and end > start and (not name or name[0] == "[heap]"):
            libc.madvise(start, end - start, MADV_HUGEPAGE)
            for page in range(start, end, huge):
                libc.madvise(page, huge, MADV_COLLAPSE)


def limits_as_dict(limits: Limits) -> dict:
    """Limits as they travel to a worker."""
    return {field.name: getattr(limits, field.name) for field in fields(limits)}


def launch(module: str, control: socket.socket) -> subprocess.Popen:
    """Start `main` of a module of this package in a fresh process that holds one end of a socket pair and no secrets.

    It starts in /, and its import path does not lead to the folder of this package: a course's own utils.py counts.
    """
    engine = str(Path(__file__).resolve().parent.parent)
    code = f"import sys; sys.path[0] = {engine!r}; from {module} import main; del sys.path[0]; sys.path.insert(0, ''); main()"
    return subprocess.Popen([sys.executable, "-c", code, str(control.fileno())], pass_fds=(control.fileno(),), cwd="/",
                            env=worker_environment() | ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            start_new_session=True)


def main() -> None:
    """The worker's process, from exec to exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to handle
    enter_worker()
    sys.excepthook = lambda *error: traceback.print_exception(*error, file=sys.__stderr__)  # sys.stderr is the recorder's
    Worker(wire.Channel(socket.socket(fileno=int(sys.argv[1])))).serve()
