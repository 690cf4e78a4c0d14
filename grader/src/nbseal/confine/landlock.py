"""Landlock: a second, independent wall around files, and around TCP, signals and abstract
sockets."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from nbseal.confine.spec import DEVICES


@cache
def landlock_version() -> int:
    """The kernel's Landlock version; 0 where it has none (Linux before 5.13, or not switched
    on)."""
    import landlockpy

    return landlockpy.abi_version()


@cache
def rights():
    """(all rights on files, those of a reader, those of a writer), as far as this kernel knows
    them.

    Remembered: asked for in the worker, it costs its children nothing.
    """
    from landlockpy import AccessFS, fs_for_abi

    everything = fs_for_abi(landlock_version())
    reader = AccessFS.READ_FILE | AccessFS.READ_DIR | AccessFS.EXECUTE
    return (
        everything,
        reader,
        everything & ~(AccessFS.MAKE_CHAR | AccessFS.MAKE_BLOCK | AccessFS.IOCTL_DEV),
    )


def restrict(
    readable: Iterable[Path | str], writable: Iterable[Path | str], ports: Iterable[int] = ()
) -> None:
    """Bind this process and its descendants: read below `readable`, write below `writable`, and
    reach nothing else.

    No TCP port may be bound, or connected to but `ports`; signals and abstract sockets end at the
    session (Landlock 4 and 6).
    """
    from landlockpy import AccessFS, AccessNet, Ruleset, Scope

    everything, reader, writer = rights()
    with Ruleset(
        handled_fs=everything,
        handled_net=AccessNet.BIND_TCP | AccessNet.CONNECT_TCP,
        scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL,
    ) as ruleset:
        for path in readable:
            ruleset.allow_path(
                path, reader if os.path.isdir(path) else AccessFS.READ_FILE | AccessFS.EXECUTE
            )
        for port in ports if landlock_version() >= 4 else ():
            ruleset.allow_port(port, AccessNet.CONNECT_TCP)
        for path in writable:
            ruleset.allow_path(path, writer)
        for path in filter(os.path.exists, DEVICES):
            ruleset.allow_path(path, AccessFS.READ_FILE | AccessFS.WRITE_FILE)
        ruleset.restrict()
