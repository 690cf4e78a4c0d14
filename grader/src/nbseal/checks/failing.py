"""The error by which a check tells that it did not hold."""

from __future__ import annotations


class CheckFailed(AssertionError):
    """A check that did not hold. Notebooks show its message alone, without a traceback through the
    course's code."""

    def _render_traceback_(self) -> list[str]:
        head, *rest = str(self).splitlines()
        return [f"\x1b[1;31m✗ {head}\x1b[0m", *rest]
