"""Making a process warm: import everything, touch what is loaded lazily, freeze it, so that forks
start ready."""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from nbseal.cells.vocabulary import OURS, is_ours
from nbseal.inside.recording import Recorder
from nbseal.inside.shell import RecordingShell
from nbseal.view import CourseView

# Run once before the first fork, so that no session pays for what these load lazily.
WARM_UP_CELLS = (
    "1 + 1",
    "def failing(x):\n    return 1 / x\nfailing(0)",
    "from IPython.display import display, clear_output\ndisplay({'a': 1})",
)


@dataclass
class Warm:
    """What a warm process has ready for those that it forks."""

    shell: RecordingShell
    recorder: Recorder
    # a private copy of nbseal.checks, out of the way of a student's imports
    checks: ModuleType | None = None
    tried: set[str] = field(default_factory=set)  # modules that were imported, or cannot be
    frozen: bool = False
    joined: bool = False  # the pages of its memory, see join_pages


def warm_up(warm: Warm, modules: list[str], course: CourseView | None) -> list[str]:
    """Import, touch what is loaded lazily, and freeze. Returns the modules that could not be
    imported."""
    modules = [name for name in modules if name not in warm.tried and name not in sys.modules]
    if warm.frozen and not modules and (warm.checks or not course):
        return []
    warm.tried.update(modules)
    gc.disable()  # while thousands of objects are made that all stay
    restore = _remember_names(warm.shell)
    with warnings.catch_warnings(), _nothing_here():
        warnings.simplefilter("ignore")
        if course and warm.checks is None:
            _load_course(course)
            warm.checks = private_checks()
            given = [str(Path(course.root, name)) for name in course.files]
            for checks in (sys.modules[OURS], warm.checks):
                checks.belongs_to_the_course(given)
        missing = [name for name in modules if not _import(name)]
        for cell in WARM_UP_CELLS:
            warm.shell.run_cell(cell, store_history=False)
        _touch_torch(warm.checks)
        _touch_matplotlib(warm)
        importlib.import_module("asyncio")
        if "numpy" in sys.modules:
            importlib.import_module("numpy.random")
        if "torch" in sys.modules:
            importlib.import_module("safetensors.torch")
    restore()
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)
    warm.recorder.begin()
    warm.frozen = True
    # a collection in a forked child would otherwise touch, and so copy, every object: 250 ms
    gc.freeze()
    gc.enable()
    gc.collect()  # empties Python's free lists, whose blocks lie all over the heap
    warm.joined = False
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


@contextmanager
def _nothing_here() -> Iterator[None]:
    """Leave the folder of this process out of the import path. It is /, whose folders, such as lib
    and data, would be taken for packages in the place of a notebook's own."""
    path = list(sys.path)
    sys.path[:] = [place for place in path if place not in ("", "/")]
    try:
        yield
    finally:
        sys.path[:] = path


def _import(name: str) -> bool:
    try:
        importlib.import_module(name)
    # a module that only works where the reference ran it; the student's own import will say more
    except Exception:
        return False
    return True


class CourseModules(importlib.abc.MetaPathFinder):
    """Finds those of the course's files that are modules, and nothing else of its folder; its own
    copy of nbseal.checks is the one that comes with this package."""

    def __init__(self, course: CourseView):
        paths = [Path(course.root, name) for name in course.files if len(Path(name).parts) == 1]
        self.folder = course.root
        self.ours = {path.stem for path in paths if is_ours(path)}
        self.names = [path.stem for path in paths if path.suffix == ".py"]
        self.names += [path.name for path in paths if (path / "__init__.py").is_file()]

    def find_spec(self, fullname, path=None, target=None):
        if path is not None or fullname not in self.names:
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder])


def _load_course(course: CourseView) -> None:
    """Import the course's modules; one that fails will say so where a notebook imports it."""
    finder = CourseModules(course)
    sys.meta_path.insert(0, finder)
    importlib.import_module(OURS)
    for module in _modules_of_checks():
        for name in finder.ours:
            sys.modules[name + module.removeprefix(OURS)] = sys.modules[module]
    for name in finder.names:
        _import(name)


def private_checks() -> ModuleType:
    """A copy of nbseal.checks that no import reaches, so that a student's cell cannot change it by
    name."""
    package, _, name = OURS.rpartition(".")
    public = {module: sys.modules.pop(module) for module in _modules_of_checks()}
    try:
        return importlib.import_module(OURS)
    finally:
        for module in _modules_of_checks():
            del sys.modules[module]
        sys.modules.update(public)
        if OURS in public:
            setattr(sys.modules[package], name, public[OURS])  # importing has bound the copy


def _modules_of_checks() -> list[str]:
    """The names of nbseal.checks and of its modules, as far as they are loaded."""
    return [name for name in sys.modules if f"{name}.".startswith(f"{OURS}.")]


def _touch_torch(checks: Any) -> None:
    """What torch loads on first use: autograd, layers, printing; and what the watch over by-hand
    tasks learns of torch's operations. checks: the private copy of nbseal.checks, or None.

    The first optimizer loads another 700 modules (1.5 s, 75 MB that every fork pays for), so only
    where the reference
    run has loaded them, too.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return
    torch.set_num_threads(1)
    importlib.import_module("torch.utils._device")
    state = torch.get_rng_state()
    _use_torch(torch)
    if "torch._dynamo" in sys.modules:
        weight = torch.nn.Parameter(torch.zeros(2))
        weight.sum().backward()
        torch.optim.Adam([weight]).step()
    for group in checks.OPERATIONS if checks else ():
        checks.by_hand(_use_torch, without=group)
        _use_torch(torch)
        checks.stop_watching()
    torch.set_rng_state(state)


def _use_torch(torch: Any) -> None:
    """Some of what most notebooks do."""
    layer = torch.nn.Sequential(
        torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), torch.nn.BatchNorm1d(3), torch.nn.ReLU()
    )
    torch.nn.functional.cross_entropy(
        layer(torch.randn(4, 3)), torch.tensor([0, 1, 2, 0])
    ).backward()
    repr((torch.randn(2, 2), layer))
    x = torch.einsum("ij,jk->ik", torch.eye(2), torch.eye(2)).matmul(torch.eye(2))
    means = x.mean(-1, keepdim=True), x.sum(0), x.var(0, correction=0), (x**2).mean((0, 1))
    for mean in means:
        x = ((x - mean) / (mean + 1e-5).sqrt() * torch.ones(2) + torch.zeros(2)).reshape(2, 2)
    torch.stack([x, x.tanh().exp().clone()]).transpose(0, 1).max().item()
    x = torch.cat([x[:1], -x[1].square().expand(1, 2)]).view(-1).double().requires_grad_()
    y = 3 * (x - 1).abs().clamp(min=0.1).log()
    torch.autograd.grad(y, x, torch.ones_like(y))  # a gradient that is given loads all of sympy
    layer.eval().load_state_dict(
        {name: value.clone() for name, value in layer.state_dict().items()}
    )
    with torch.no_grad():
        torch.where(x > 0, x, x.detach().to(torch.float32)).allclose(x)


def _touch_matplotlib(warm: Warm) -> None:
    """The font cache, the first figure, and the inline backend's hold on the shell."""
    if "matplotlib" not in sys.modules:
        return
    warm.shell.run_cell(
        "import matplotlib.pyplot as plt\nplt.subplots()[1].plot([1, 2], "
        "label='a')\nplt.title('a')",
        store_history=False,
    )
    sys.modules["matplotlib.pyplot"].close("all")


def join_pages(warm: Warm) -> None:
    """Ask for huge pages under the heap: a fork copies one entry for each instead of 512, and takes
    a third of the time. And take what is free between used blocks, so that what a fork allocates
    lies together, and not on a thousand pages that it would have to copy.

    Takes 0.3 s, so once, before the first worker. Only an acceleration: where the kernel refuses
    (Linux before 6.1, no
    transparent huge pages) nothing is lost.
    """
    if sys.platform != "linux" or warm.joined:
        return
    warm.joined = True
    huge, MADV_HUGEPAGE, MADV_COLLAPSE = 2 << 20, 14, 25
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    _fill_gaps(libc)
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access, _, _, inode, *name = line.split()
        start, end = (int(address, 16) for address in span.split("-"))
        start, end = -(-start // huge) * huge, end // huge * huge
        if inode == "0" and access == "rw-p" and end > start and (not name or name[0] == "[heap]"):
            libc.madvise(start, end - start, MADV_HUGEPAGE)
            for page in range(start, end, huge):
                libc.madvise(page, huge, MADV_COLLAPSE)


def _fill_gaps(libc: ctypes.CDLL) -> None:
    """Allocate, and never free, until there is no block left below the end of the heap."""
    libc.sbrk.restype = libc.malloc.restype = ctypes.c_size_t
    libc.sbrk.argtypes, libc.malloc.argtypes = [ctypes.c_ssize_t], [ctypes.c_size_t]
    end = libc.sbrk(0)
    for size in (*range(1 << 16, 1 << 10, -(1 << 10)), *range(1 << 10, 16, -16)):
        while 0 < libc.malloc(size) < end:
            pass
