"""A process that speaks with other machines and believes too much of what they say: it may speak
with these, read what programs need, and nothing else."""

import os
import sys
from collections.abc import Iterable

from nbseal.confine.landlock import landlock_version, restrict
from nbseal.confine.packages import packages_beside
from nbseal.confine.spec import SYSTEM

# Names of other machines, and what libraries ask about this one and themselves.
_NEEDED = (
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/run/systemd/resolve",
    "/proc/self",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/stat",
    "/sys/fs/cgroup",
)


def only_speak(port: int, readable: Iterable[str]) -> bool:
    """Let this process connect to this TCP port; read the system's programs, Python, its packages
    and `readable`; write nothing; signal, trace or look into no other process. What it has open
    stays.

    To be called before there are threads. Returns whether this kernel can: it needs Landlock.
    """
    if not landlock_version():
        return False
    packages = packages_beside(tuple(sys.path), os.devnull, ())
    places = {*SYSTEM, *_NEEDED, sys.prefix, sys.base_prefix, *packages, *readable}
    restrict(filter(os.path.exists, sorted(places)), [], [port])
    return True
