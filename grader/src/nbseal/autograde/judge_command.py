"""`nbseal judge`: the command line of ordering.py, once everything is executed."""

from pathlib import Path
from typing import Annotated

import typer

from nbseal.autograde.command import CONTEXT_SETTINGS, at_root, run
from nbseal.engine.zygote import start_ahead

__all__ = ["CONTEXT_SETTINGS", "command"]


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="Folder of orders, with their results.")],
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was done to this file.")
    ] = None,
) -> None:
    """Grade a class from the results of its orders. Also takes nbgrader's own flags."""
    ahead = start_ahead(context.obj.root if context.obj is not None else Path.cwd())
    from nbseal.autograde.ordering import JudgesOrders  # nbgrader takes a second to import

    arguments = [assignment, *context.args, *at_root(context)]
    arguments.append(f"--ParallelAutograde.orders={folder.absolute()}")
    run(arguments, json, ahead, run_with=JudgesOrders)
