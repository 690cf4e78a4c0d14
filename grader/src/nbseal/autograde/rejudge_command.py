"""`nbseal rejudge`: the command line of rejudging.py."""

from pathlib import Path
from typing import Annotated

import typer

from nbseal.autograde.command import CONTEXT_SETTINGS, at_root, run
from nbseal.engine.zygote import start_ahead

__all__ = ["CONTEXT_SETTINGS", "command"]


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    student: Annotated[
        str | None, typer.Option(help="Only this student; * and ? are wildcards.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was done to this file.")
    ] = None,
) -> None:
    """Judge a class again after an expected value, a tolerance or a mistake was mended. Also takes
    nbgrader's own flags."""
    ahead = start_ahead(context.obj.root if context.obj is not None else Path.cwd())
    from nbseal.autograde.rejudging import Rejudge  # nbgrader takes a second to import

    arguments = [assignment, *context.args, *at_root(context)]
    run([*arguments, *([f"--student={student}"] if student else [])], json, ahead, run_with=Rejudge)
