"""Solutions to by-hand tasks, kept in tests/checks/by_hand/*.cells, run as cells of a notebook."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from nbseal import checks
from nbseal.cells.by_hand import doubts
from nbseal.cells.sealing import ByHand

FOLDER = Path(__file__).resolve().parents[1] / "checks" / "by_hand"
BEGINS = re.compile(r"^# %% (.+)\n", re.M)
OPTION = re.compile(r"# (fate|without|call): (.+)\n")
START = (
    "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    "X = torch.tensor([[1.0, 2.0, 6.0], [0.0, -4.0, 3.0]])"
)
_number = itertools.count()


@dataclass(frozen=True)
class Solution:
    """A student's cells, in order, that define `mine`."""

    name: str
    cells: tuple[str, ...]
    fate: str = "called"
    without: str = "normalisation"
    call: str = "mine(X)"

    def run(self) -> list[checks.Finding]:
        """What the watch has seen when a test has called it."""
        return watched((START, *self.cells), f"{self._asks}answer = {self.call}")

    def judged(self) -> None:
        """As a student's notebook does. Raises CheckFailed where it must."""
        test = f"{self._asks}answer = {self.call}\nexpect('it runs', 1, 1)"
        watched((START, *self.cells), test)

    def doubts(self) -> list[str]:
        """What its source has a person look at."""
        hand = ByHand("mine", (self.without,), hidden=False)
        return doubts(list(enumerate((START, *self.cells))), [hand])

    @property
    def _asks(self) -> str:
        kept = "kept = mine(3)\n" if "kept" in self.call else ""
        return f"by_hand(mine, without={self.without!r})\n{kept}"


def watched(cells: tuple[str, ...], test: str) -> list[checks.Finding]:
    """Run cells, and then a test cell that calls by_hand; what the watch has seen."""
    names = {"__name__": "__main__"}
    names |= {name: getattr(checks, name) for name in ("by_hand", "expect", "answer_key", "raises")}
    for source in cells:
        run_cell(source, names)
    try:
        run_cell(test, names, "<test>")
        return checks.by_hand_findings()
    finally:
        checks.stop_watching()


def run_cell(source: str, names: dict, file: str = "") -> None:
    """Run a cell under a file name of its own, as a kernel does."""
    file = file or f"/tmp/ipykernel_1/{next(_number)}.py"
    exec(compile(source, file, "exec"), names)


def load(name: str) -> list[Solution]:
    """The solutions in one of the files."""
    _, *parts = BEGINS.split((FOLDER / f"{name}.cells").read_text(encoding="utf-8"))
    found = []
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        options = {}
        while option := OPTION.match(body):
            options[option[1]] = option[2]
            body = body[option.end() :]
        cells = tuple(cell.strip("\n") for cell in body.split("\n## another cell\n"))
        found.append(Solution(title, cells, **options))
    return found
