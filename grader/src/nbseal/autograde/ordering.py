"""A class whose submissions are executed from files: orders are written in one run, and judged in
another."""

from __future__ import annotations

from pathlib import Path

from nbseal.autograde.bench import Bench
from nbseal.autograde.failures import CannotBeGraded
from nbseal.autograde.run import ClassRun, ParallelAutograde
from nbseal.engine.order_files import OrderFiles
from nbseal.view import PRIVATE


class JudgesOrders(ParallelAutograde):
    """Takes results from a folder in the place of sessions."""

    writes = False

    def elsewhere(self) -> OrderFiles:
        root = Path(self.coursedir.root)
        keys = root / PRIVATE / "orders" / f"{self.coursedir.assignment_id}.json"
        self.files = OrderFiles(Path(self.orders), keys, self.writes)
        return self.files


class WritesOrders(JudgesOrders):
    """Writes orders, and grades nobody."""

    writes = True

    def run_of(self, bench: Bench) -> ClassRun:
        return OnlyOrdered(bench, self.assignments, self.odd, self.workers, self.observer)


class OnlyOrdered(ClassRun):
    """Hands every submission over, and waits for none."""

    _orders = 0

    @property
    def news(self) -> list[str]:
        """What was written, and what comes next."""
        folder = self._bench.converter.orders
        return [
            f"{self._orders} submissions are written to {folder}: `nbseal execute {folder}` where "
            "they are to run, then `nbseal judge` here with the folder that holds the results."
        ]

    def grade(self) -> None:
        for path in sorted(self._assignments):
            try:
                self._orders += self._found(path).stage()
            except CannotBeGraded:
                pass  # `judge` meets it again, and records why
