"""What the engine knows of one notebook of an assignment."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from nbseal.cells import sealing
from nbseal.engine.answer_key import AnswerKey
from nbseal.engine.reference import Skipped
from nbseal.records import ReferenceCell


@dataclass
class Prepared:
    """What the engine knows of one notebook of an assignment."""

    sealed: dict[str, sealing.Sealed]
    key: str = field(repr=False)
    modules: tuple[str, ...]
    draws_with: str  # the library whose numbers `sample` returns, see nbseal.checks.draw_with
    skipped: Skipped
    reference: list[ReferenceCell] = field(repr=False)
    sources: frozenset[str] = field(repr=False)  # of all cells that the instructor wrote
    folder: Path | None = None
    answer_key: AnswerKey | None = None
    users: int = 0
    retired: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def checks(self, grade_id: str) -> int:
        return len(self.answer_key.checks[grade_id]) if self.answer_key else 0

    def close(self) -> None:
        if self.answer_key:
            self.answer_key.close()

    def acquire(self) -> None:
        with self.lock:
            self.users += 1

    def release(self, retire: bool = False) -> None:
        """Done with it; the answer key's process ends with its last user once there is a newer
        one."""
        with self.lock:
            self.users -= not retire
            self.retired |= retire
            if self.retired and not self.users and self.answer_key:
                self.answer_key.close()
