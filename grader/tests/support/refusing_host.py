"""Run a command on a host that grants less, as containers and old kernels do: `python
refusing_host.py WHAT COMMAND...`.

WHAT is a list such as `namespaces,landlock`: the system calls behind them are refused to the
command and its children.
"""

import errno
import os
import sys

import pyseccomp

CALLS = {
    "namespaces": [
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "fsopen",
        "open_tree",
        "move_mount",
        "mount_setattr",
        "chroot",
    ],
    "landlock": ["landlock_create_ruleset"],
}


def refuse(measures: list[str]) -> None:
    """Refuse the calls behind these measures to this process from now on."""
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for measure in measures:
        for call in CALLS[measure]:
            program.add_rule(
                pyseccomp.ERRNO(errno.ENOSYS if measure == "landlock" else errno.EPERM), call
            )
    program.load()


if __name__ == "__main__":
    refuse(sys.argv[1].split(","))
    os.execvp(sys.argv[2], sys.argv[2:])
