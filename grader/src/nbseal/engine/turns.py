"""Whose turn it is on this machine: sessions run beside each other, or one alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets many in beside each other, or one alone. Whoever waits to be alone goes before others,
    and never waits for more than those that are at work."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = self._waiting = 0
        self._alone = False

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """While nobody is alone, and nobody waits to be."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone and not self._waiting)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else is inside."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._alone and not self._inside)
            finally:
                self._waiting -= 1
                self._changed.notify_all()
            self._alone = True
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
