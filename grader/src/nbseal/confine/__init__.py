"""Confinement: a session runs in a house of its own, with nothing of the host's in it. See
docs/security.md.

    enter_worker()                                   # once, first thing in the worker's process
    session = spawn_confined(confinement, main)      # forks; `main` runs confined in the child
    session.excess(limits)                           # asked now and then while it runs
    session.end()                                    # kills whatever it left behind

Whether a host gives all that this needs is found by trying: `probe()` lets a session attempt to
cross every Boundary, and `require_closed()` refuses to grade where one is open and not accepted by
name.
"""

import sys

from nbseal.confine.boundaries import Boundary, Finding, Report, accepted, probe, require_closed
from nbseal.confine.spec import Confinement, ConfinementError, worker_environment

if sys.platform == "linux":
    from nbseal.confine.confined import Confined
    from nbseal.confine.spawning import Host, enter_worker, spawn_confined
    from nbseal.confine.speaking import only_speak
