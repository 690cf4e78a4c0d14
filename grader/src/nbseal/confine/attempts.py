"""Which attempts are made at which boundary.

reaching.py and overusing.py hold them, one function each. Those listed here are judged by what the
session reports, or by its death; probing.py looks at the others from outside.
"""

from collections.abc import Callable

from nbseal.confine.boundaries import Boundary
from nbseal.confine.overusing import (
    counters,
    disk,
    file_count,
    file_size,
    memory,
    memory_together,
    processes,
)
from nbseal.confine.reaching import (
    abstract_sockets,
    descriptors,
    home,
    privileges,
    prlimit,
    remounting,
    seeing_processes,
    solutions,
    tcp,
    tracing,
)
from nbseal.confine.world import World

ATTEMPTS: dict[Boundary, tuple[Callable[[World], str | None], ...]] = {
    Boundary.TCP: (tcp,),
    Boundary.ABSTRACT_SOCKETS: (abstract_sockets,),
    Boundary.HOME: (home,),
    Boundary.SOLUTIONS: (solutions,),
    Boundary.TRACING: (tracing,),
    Boundary.PRLIMIT: (prlimit,),
    Boundary.SEEING_PROCESSES: (seeing_processes,),
    Boundary.REMOUNTING: (remounting,),
    Boundary.PRIVILEGES: (privileges,),
    Boundary.DESCRIPTORS: (descriptors,),
    Boundary.MEMORY: (memory, memory_together),
    Boundary.PROCESSES: (processes,),
    Boundary.FILE_SIZE: (file_size,),
    Boundary.DISK: (disk,),
    Boundary.FILE_COUNT: (file_count,),
    Boundary.COUNTERS: (counters,),
}
