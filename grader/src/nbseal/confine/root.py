"""The file system that a session sees: read-only and nearly empty, with one bounded scratch."""

import os
import stat
from functools import cache
from pathlib import Path

from nbseal.confine import kernel
from nbseal.confine.copying import copy_tree
from nbseal.confine.spec import DEVICES, SYSTEM, Confinement, ConfinementError

# Where the new root is put together. Everything needed from the old one is opened before this hides
# it.
_STAGE = "/tmp"
_READ_ONLY = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID
# The session's user inside. Libraries look it up (getpass, matplotlib, torch), so it has a name.
USER, USER_ID = "student", 1000
_FILES = {
    "etc/passwd": (
        f"{USER}:x:{USER_ID}:{USER_ID}:{USER}:/tmp:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n"
    ),
    "etc/group": f"{USER}:x:{USER_ID}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/hosts": "127.0.0.1 localhost\n",
}
_LINKS = {
    "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0",
    "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
}


def enter_root(confinement: Confinement, owner: tuple[int, int]) -> int:
    """Replace the root of this process's (new) mount namespace; the scratch belongs to the user and
    group `owner`.

    Returns a descriptor of a writable /proc that no path leads to, for what is still to be set
    there.
    """
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    sources: dict[str, int | None] = {
        place: _open_source(original) if original else None
        for place, original in plan(confinement).items()
    }
    folder = confinement.folder
    handed_in = os.open(folder, os.O_RDONLY | os.O_DIRECTORY) if folder is not None else None
    kernel.mount("root", _STAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=4m")
    os.chdir(_STAGE)
    for link, target in (_LINKS | _system_links()).items():
        os.makedirs(os.path.dirname(link) or ".", exist_ok=True)
        os.symlink(target, link)
    for name, text in _FILES.items():
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w") as file:
            file.write(text)
    _attach(sources | _bounded(confinement, owner))
    proc = _attach_proc()
    kernel.pivot_root(".", ".")
    kernel.umount(".", kernel.MNT_DETACH)
    os.chdir("/")
    if handed_in is not None:
        copy_tree(handed_in, confinement.scratch, owner)
        os.close(handed_in)
    kernel.mount_setattr("/", _READ_ONLY | kernel.MOUNT_ATTR_NODEV)
    return proc


@cache
def _system_links() -> dict[str, str]:
    """Links directly below / such as /lib -> usr/lib, made relative so that they hold while the
    root is built."""
    return {
        path[1:]: os.readlink(path).lstrip("/")
        for path in SYSTEM
        if path.count("/") == 1 and os.path.islink(path)
    }


def plan(confinement: Confinement) -> dict[str, str | None]:
    """What to mount where: place -> original, or None for a folder to hide. What lies in a mounted
    folder is left out.

    The same for all sessions of a course, and remembered: asked for in the worker, it costs its
    children nothing.
    """
    return _plan(confinement.visible, tuple(map(str, confinement.hidden)))


@cache
def _plan(visible: tuple[str, ...], hidden: tuple[str, ...]) -> dict[str, str | None]:
    wanted: dict[str, str | None] = {path: path for path in DEVICES if os.path.exists(path)}
    for path in visible:
        if path[1:] in _system_links():
            continue
        if os.path.exists(path):
            wanted[path] = wanted[os.path.realpath(path)] = os.path.realpath(path)
        elif path not in SYSTEM:
            raise ConfinementError(
                f"a session is to read {path}, which does not exist: create it or leave it out."
            )
    wanted |= {
        os.path.realpath(path): None for path in hidden if os.path.realpath(path) not in wanted
    }
    mounts: dict[str, str | None] = {}
    for place, original in sorted(wanted.items(), key=lambda item: item[0].count("/")):
        above = next((str(parent) for parent in Path(place).parents if str(parent) in mounts), None)
        mounted = mounts[above] if above else None
        shown = mounted + place[len(above) :] if above and mounted else mounted
        if shown != original:
            mounts[place] = original
    return mounts


def _open_source(original: str) -> int:
    """A detached, read-only mount of a file, folder or device of the host."""
    fd = kernel.open_tree(original)
    devices = kernel.MOUNT_ATTR_NOEXEC if original in DEVICES else kernel.MOUNT_ATTR_NODEV
    kernel.mount_setattr(fd, _READ_ONLY | devices, recursive=True)
    return fd


def _bounded(confinement: Confinement, owner: tuple[int, int]) -> dict[str, int | None]:
    """One tmpfs for all that the session may write, so that one size and one number of files bound
    it together."""
    limits = confinement.limits
    os.mkdir("var")
    kernel.mount(
        "scratch",
        "var",
        "tmpfs",
        kernel.MS_NOSUID | kernel.MS_NODEV,
        f"mode=755,size={limits.scratch_bytes},nr_inodes={limits.scratch_files}",
    )
    mounts: dict[str, int | None] = {}
    for part, place in {
        "tmp": "/tmp",
        "shm": "/dev/shm",
        "scratch": str(confinement.scratch),
    }.items():
        os.mkdir(f"var/{part}", 0o700)
        os.chown(f"var/{part}", *owner)
        mounts[place] = kernel.open_tree(f"var/{part}")
    return mounts


def _attach(mounts: dict[str, int | None]) -> None:
    """Mount each at its place below the working folder, outer ones first; then make the hiding ones
    read-only."""
    for place, fd in sorted(mounts.items(), key=lambda item: item[0].count("/")):
        target = place[1:]
        if fd is None:
            os.makedirs(target, exist_ok=True)
            kernel.mount(
                "hidden", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=64k"
            )
            continue
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.makedirs(target, exist_ok=True)
        elif not os.path.exists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        kernel.move_mount(fd, target)
        os.close(fd)
    for place, fd in mounts.items():
        if fd is None:
            kernel.mount_setattr(place[1:], _READ_ONLY | kernel.MOUNT_ATTR_NODEV)


def _attach_proc() -> int:
    """A read-only /proc of the session's own processes, on top of a writable one that only a
    descriptor reaches."""
    safe = kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV | kernel.MOUNT_ATTR_NOEXEC
    os.mkdir("proc")
    _attach_here(kernel.mount_new("proc", safe))
    writable = os.open("proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    _attach_here(kernel.mount_new("proc", safe | kernel.MOUNT_ATTR_RDONLY))
    return writable


def _attach_here(proc: int) -> None:
    kernel.move_mount(proc, "proc")
    os.close(proc)
