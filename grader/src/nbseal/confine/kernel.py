"""The Linux system calls that the standard library of Python 3.11 does not offer, under the names
of their man pages.

Each raises OSError with the name of the call, so that a refusal says which step the host refused.
"""

import ctypes
import os
import sys
from typing import Any

MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
MS_NOSUID, MS_NODEV = 2, 4
MNT_DETACH = 2

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWTIME = 0x10000000, 0x20000000, 0x40000000, 0x80
CLONE_NEW_ANY = (
    CLONE_NEWNS
    | CLONE_NEWCGROUP
    | CLONE_NEWUTS
    | CLONE_NEWIPC
    | CLONE_NEWUSER
    | CLONE_NEWPID
    | CLONE_NEWNET
    | CLONE_NEWTIME
)

MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOEXEC = 1, 2, 4, 8

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
SECCOMP_MODE_FILTER = 2

# Numbers of calls that came after Linux 5.0 are the same on every processor.
_OPEN_TREE, _MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _MOUNT_SETATTR = 428, 429, 430, 431, 432, 442
_OPEN_TREE_CLONE, _AT_EMPTY_PATH, _AT_RECURSIVE, _AT_FDCWD = 1, 0x1000, 0x8000, -100
_MOVE_MOUNT_F_EMPTY_PATH, _FSCONFIG_CMD_CREATE = 4, 6

# PyDLL keeps the interpreter's lock: nothing here blocks, and a fork in between must find one
# thread.
_libc: Any = ctypes.PyDLL(None, use_errno=True) if sys.platform == "linux" else None


class _MountAttr(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")
    ]


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _FilterProgram(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def _checked(name: str, result: int) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def _syscall(name: str, number: int, *arguments) -> int:
    # syscall(2) takes longs: an int that ctypes narrowed to 32 bits would leave rubbish in the
    # upper half.
    longs = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _checked(name, _libc.syscall(ctypes.c_long(number), *longs))


def unshare(flags: int) -> None:
    _checked("unshare", _libc.unshare(flags))


def setns(fd: int, kind: int) -> None:
    _checked("setns", _libc.setns(fd, kind))


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    names = [os.fsencode(value) for value in (source, target, kind)]
    _checked(f"mount {target}", _libc.mount(*names, ctypes.c_ulong(flags), options.encode()))


def umount(target: str, flags: int = 0) -> None:
    _checked(f"umount {target}", _libc.umount2(os.fsencode(target), flags))


def pivot_root(new: str, old: str) -> None:
    _checked("pivot_root", _libc.pivot_root(os.fsencode(new), os.fsencode(old)))


def sethostname(name: str) -> None:
    _checked("sethostname", _libc.sethostname(name.encode(), ctypes.c_size_t(len(name))))


def open_tree(path: str) -> int:
    """A detached copy of what is mounted at and below `path`, as a descriptor for move_mount."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    return _syscall(f"open_tree {path}", _OPEN_TREE, _AT_FDCWD, os.fsencode(path), flags)


def move_mount(fd: int, target: str) -> None:
    """Attach a detached mount at `target`."""
    _syscall(
        f"move_mount {target}",
        _MOVE_MOUNT,
        fd,
        b"",
        _AT_FDCWD,
        os.fsencode(target),
        _MOVE_MOUNT_F_EMPTY_PATH,
    )


def mount_new(kind: str, attributes: int) -> int:
    """A new file system of a kind that needs no options, as a detached mount."""
    context = _syscall(f"fsopen {kind}", _FSOPEN, kind.encode(), 1)
    try:
        _syscall(f"fsconfig {kind}", _FSCONFIG, context, _FSCONFIG_CMD_CREATE, None, None, 0)
        return _syscall(f"fsmount {kind}", _FSMOUNT, context, 1, attributes)
    finally:
        os.close(context)


def mount_setattr(where: int | str, attributes: int, recursive: bool = False) -> None:
    """Add attributes such as read-only to the mount at a path, or to the detached one behind a
    descriptor."""
    attr = _MountAttr(attr_set=attributes)
    fd, path = (where, b"") if isinstance(where, int) else (_AT_FDCWD, os.fsencode(where))
    flags = (_AT_EMPTY_PATH if isinstance(where, int) else 0) | (_AT_RECURSIVE if recursive else 0)
    _syscall(
        f"mount_setattr {path.decode()}",
        _MOUNT_SETATTR,
        fd,
        path,
        flags,
        ctypes.byref(attr),
        ctypes.sizeof(attr),
    )


def prctl(option: int, *arguments) -> None:
    longs = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    longs += [ctypes.c_ulong(0)] * (4 - len(longs))
    _checked(f"prctl {option}", _libc.prctl(option, *longs))


def install_filter(program: bytes) -> None:
    """Put a seccomp program (as libseccomp exports it) before every system call of this process and
    its children."""
    filter = _FilterProgram(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter))


def drop_capabilities() -> None:
    """Give up every capability, also those that a program started later could bring."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for capability in range(last + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except PermissionError:  # a process that has none may not, and need not, lower the bound
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    # version 3: three sets of 64 bits, all empty
    header, none = _CapHeader(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _checked("capset", _libc.capset(ctypes.byref(header), none))
