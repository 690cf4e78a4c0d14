"""`nbseal serve`: everything warm for whoever grades one submission after the other."""

import os
import sys
from typing import Annotated

import typer

from nbseal.asking import origin
from nbseal.errors import CourseError


def command(
    context: typer.Context,
    assignments: Annotated[list[str], typer.Argument(help="Names of the assignments.")],
    idle: Annotated[
        float,
        typer.Option(min=0.01, metavar="MINUTES", help="End when nobody has asked for so long."),
    ] = 30.0,
) -> None:
    """Keep everything warm, so that `nbseal autograde` and Formgrader's button answer at once. Runs
    until nobody asks any more, or until Ctrl-C."""
    if sys.platform != "linux":
        raise CourseError("`nbseal serve` needs Linux, as sealed grading does.")
    if None in (sys.stdin, sys.stdout, sys.stderr):
        raise CourseError("`nbseal serve` needs its standard streams open: give it /dev/null.")
    began_as = origin()
    from nbseal.autograde.serving import Server  # nbgrader takes a second to import

    main = context.meta["nbseal.main"]
    server = Server(context.obj.root, assignments, 60 * idle, began_as, main)
    try:
        is_old = server.serve()
    finally:
        server.close()
    if is_old:
        print("nbseal: a file that was loaded has changed: starting anew.", file=sys.stderr)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    print(f"nbseal: nobody has asked for {idle:g} minutes.", file=sys.stderr)
