"""What the author has looked at: `mutants.toml`, in the assignment's folder of the bank.

    [layer_norm.equivalent]
    "layer_norm: (x - mean).square() → (mean - x).square()" = "a square has no sign"

    [layer_norm.named]
    "You divided by D - 1." = [
        "layer_norm: correction=0 → correction=1",
        "? layer_norm: x.shape[-1] → (x.shape[-1] - 1)",
    ]

A mutant is `equivalent` where no test should notice it, and for what reason. Under `named` stand
the mutants that were told a mistake. What begins with a question mark waits for the author.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from nbseal.errors import CourseError

NAME = "mutants.toml"
OPEN = "?"


@dataclass
class Confirmed:
    """What is known of the mutants of one task."""

    equivalent: dict[str, str] = field(default_factory=dict)  # mutant -> why
    named: dict[str, list[str]] = field(default_factory=dict)  # message -> mutants

    def excuses(self, mutant: str) -> bool:
        """Whether no test has to notice it."""
        return not self.equivalent.get(mutant, OPEN).startswith(OPEN)

    def confirms(self, message: str, mutant: str) -> bool:
        """Whether the author has said that the message is true of the mutant."""
        return mutant in self.named.get(message, [])

    def ask(self, unnoticed: list[str], told: dict[str, list[str]]) -> None:
        """Keep what was found today: what is known stays, the rest waits for the author."""
        self.equivalent = {name: self.equivalent.get(name, OPEN) for name in unnoticed}
        self.named = {
            message: [
                name if self.confirms(message, name) else f"{OPEN} {name}" for name in mutants
            ]
            for message, mutants in told.items()
        }


def read(path: Path) -> dict[str, Confirmed]:
    """Task -> what is known. Raises CourseError for a file that is not as this module says."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} is not valid TOML: {error}.") from None
    return {task: _checked(path, task, table) for task, table in found.items()}


def _checked(path: Path, task: str, table: object) -> Confirmed:
    known = Confirmed(**table) if isinstance(table, dict) and table.keys() <= _FIELDS else None
    if (
        known is None
        or not isinstance(known.equivalent, dict)
        or not all(isinstance(why, str) for why in known.equivalent.values())
        or not isinstance(known.named, dict)
        or not all(isinstance(mutants, list) for mutants in known.named.values())
    ):
        raise CourseError(
            f"{path}: `{task}` must hold `equivalent`, with a reason for each mutant, and `named`, "
            "with a list of mutants for each message."
        )
    return known


_FIELDS = {"equivalent", "named"}


def write(path: Path, tasks: dict[str, Confirmed]) -> None:
    """Write the file; one of no tasks is removed."""
    lines: list[str] = []
    for task, known in tasks.items():
        if known.equivalent:
            lines.append(f"[{task}.equivalent]")
            lines += [f"{_quoted(name)} = {_quoted(why)}" for name, why in known.equivalent.items()]
            lines.append("")
        if known.named:
            lines.append(f"[{task}.named]")
            for message, mutants in known.named.items():
                lines.append(f"{_quoted(message)} = [")
                lines += [f"    {_quoted(name)}," for name in mutants]
                lines.append("]")
            lines.append("")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _quoted(text: str) -> str:
    """Text as TOML quotes it; what JSON writes is also TOML, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
