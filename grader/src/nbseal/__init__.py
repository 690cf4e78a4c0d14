"""nbseal: an autograder for nbgrader courses. See `nbseal --help`, and `nbseal.configure` for an
nbgrader_config.py."""

import sys

if sys.argv and (sys.argv[0] == "-m" or sys.argv[0].endswith("/nbseal")):
    # The command itself is starting: a Ctrl-C while the rest is loaded ends it without a word.
    from nbseal.interrupts import leave_quietly

    leave_quietly()

from nbseal.configure import configure

__all__ = ["configure"]
