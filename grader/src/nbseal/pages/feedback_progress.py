"""What a person sees while pages are made: one live line in a terminal, plain lines in a log."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

PLAIN_EVERY = 10.0  # seconds between two lines of a log
Item = TypeVar("Item")


def shown(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items, as they come, while their number is shown on stderr."""
    console = Console(file=sys.stderr)
    if console.is_terminal:
        columns = (TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn())
        left = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
        with Progress(*columns, *left, console=console) as live:
            yield from live.track(items, total=total, description=what)
        return
    said = time.monotonic()
    for number, item in enumerate(items, start=1):
        if time.monotonic() - said >= PLAIN_EVERY:
            said = time.monotonic()
            print(f"{what}: {number} of {total}", file=sys.stderr)
        yield item
