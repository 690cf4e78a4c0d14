"""`nbseal execute`: orders out of files, on a machine that need not know the course."""

import os
import re
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from nbseal.errors import CourseError

PLAIN_EVERY = 10.0


class _Told:
    """Says how it goes on: at most every ten seconds, for the log of a batch system."""

    def __init__(self) -> None:
        self._said = 0.0

    def __call__(self, done: int, of: int) -> None:
        if done == of or time.monotonic() - self._said >= PLAIN_EVERY:
            self._said = time.monotonic()
            print(f"{done} of {of} orders executed", file=sys.stderr)


def command(
    folder: Annotated[Path, typer.Argument(help="What `nbseal orders` wrote.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Orders at the same time; if not given, processors.")
    ] = None,
    part: Annotated[
        str, typer.Option(metavar="K/N", help="Only the K-th of N parts, as in an array of jobs.")
    ] = "1/1",
) -> None:
    """Execute the orders in a folder that have no result yet, and put results beside them."""
    from nbseal.engine.order_files import execute_all

    found = re.fullmatch(r"(\d+)/(\d+)", part)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise CourseError(f"--part={part} is no part: say 1/4 for the first of four.")
    failed = execute_all(
        folder, workers or len(os.sched_getaffinity(0)), (int(found[1]), int(found[2])), _Told()
    )
    if failed:
        raise CourseError(f"{failed} orders could not be executed: the same command tries again.")
