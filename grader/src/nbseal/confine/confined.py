"""A session that runs confined, as its worker sees it: watched, and ended with all it started."""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field

from nbseal.confine import limits
from nbseal.records import OUT_OF_CPU, Limits


@dataclass(frozen=True)
class Confined:
    """A session's first process. Where os.kill or os.waitpid want a process id, it can stand for
    its own.

    Killing it ends all processes of the session. Call `end` in any case: it also frees what the
    worker holds.
    """

    pid: int
    proc: int = field(repr=False)  # descriptor of the /proc that shows this session's processes
    isolated: bool = field(repr=False)

    def __index__(self) -> int:
        return self.pid

    def usage(self, limits_of_session: Limits) -> limits.Usage:
        """What the session's processes use together at this moment."""
        processes = (
            [name for name in os.listdir(self.proc) if name.isdigit()]
            if self.isolated
            else [str(self.pid)]
        )
        return limits.usage(self.proc, processes, enough=limits_of_session.memory_bytes)

    def excess(self, limits_of_session: Limits) -> str | None:
        """What the session uses too much of, as a sentence; None if nothing. To be asked every 0.1
        s or so."""
        used = self.usage(limits_of_session)
        if used.memory_bytes > limits_of_session.memory_bytes:
            return f"used more than {limits_of_session.memory_bytes >> 20} MB of memory"
        if used.cpu_seconds > limits_of_session.cpu_seconds:
            return OUT_OF_CPU
        return None

    def end(self) -> int:
        """Kill what still runs of the session and wait for it. Returns the exit code, or minus the
        signal it died of."""
        if not self.isolated:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.proc)
        return os.waitstatus_to_exitcode(status)
