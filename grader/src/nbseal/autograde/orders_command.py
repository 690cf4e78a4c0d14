"""`nbseal orders`: the command line of ordering.py, before anything is executed."""

from pathlib import Path
from typing import Annotated

import typer

from nbseal.autograde.command import CONTEXT_SETTINGS, at_root, run
from nbseal.engine.zygote import start_ahead

__all__ = ["CONTEXT_SETTINGS", "command"]


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="An empty or new folder, for the orders.")],
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Also what is graded already.")
    ] = False,
) -> None:
    """Write what students handed in as files that `nbseal execute` executes on any machine. Also
    takes nbgrader's own flags."""
    ahead = start_ahead(context.obj.root if context.obj is not None else Path.cwd())
    from nbseal.autograde.ordering import WritesOrders  # nbgrader takes a second to import

    arguments = [assignment, *context.args, *at_root(context), *["--force"] * force]
    arguments.append(f"--ParallelAutograde.orders={folder.absolute()}")
    run(arguments, None, ahead, run_with=WritesOrders)
