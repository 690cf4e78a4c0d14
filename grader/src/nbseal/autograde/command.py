"""`nbseal autograde`: nbgrader's autograde, parallel, sealed and warm.

Everything that nbgrader_config.py and nbgrader's own flags can say applies: what this module does
not know it hands to nbgrader's application, of which the command is a variant.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from nbseal.engine.zygote import Zygote, start_ahead
from nbseal.errors import CourseError
from nbseal.interrupts import leave_quietly, raise_interrupt

# Whatever is not an option of ours goes to nbgrader.
CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def command(
    context: typer.Context,
    assignment: Annotated[str | None, typer.Argument(help="Name of the assignment.")] = None,
    student: Annotated[
        str | None, typer.Option(help="Only this student; * and ? are wildcards.")
    ] = None,
    notebook: Annotated[
        str | None, typer.Option(help="Only this notebook; * and ? are wildcards.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Grade again what is graded already.")
    ] = False,
    no_execute: Annotated[
        bool, typer.Option("--no-execute", help="Trust the outputs that were handed in.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Submissions executed at the same time; if not given, as many as processors.",
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The gradebook, such as sqlite:///gradebook.db."),
    ] = None,
    accept_open: Annotated[
        str,
        typer.Option(
            metavar="BOUNDARY,...",
            help="Grade although this host leaves these boundaries open; `doctor` lists them.",
        ),
    ] = "",
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Execute on the Dask cluster with this scheduler."),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was done to this file.")
    ] = None,
) -> None:
    """Grade what students handed in. Also takes nbgrader's own flags, such as
    --Execute.timeout=60."""
    flags = {
        "--student": student,
        "--notebook": notebook,
        "--db": db,
        "--ParallelAutograde.workers": workers,
        "--SealedExecute.cluster": cluster,
    }
    arguments = [f"{flag}={value}" for flag, value in flags.items() if value is not None]
    arguments += [
        f"--SealedExecute.accept_open={name.strip()}"
        for name in accept_open.split(",")
        if name.strip()
    ]
    arguments += ["--force"] * force + ["--no-execute"] * no_execute
    arguments += at_root(context)
    ahead: list[Zygote] = []
    leave_quietly(lambda: _abandon(ahead))
    if sys.platform == "linux" and not no_execute:
        ahead.append(start_ahead(context.obj.root if context.obj is not None else Path.cwd()))
    run(
        [*([assignment] if assignment else []), *context.args, *arguments],
        json,
        next(iter(ahead), None),
    )


def _abandon(ahead: list[Zygote]) -> None:
    for zygote in ahead:
        zygote.abandon()


def at_root(context: typer.Context) -> list[str]:
    """What tells nbgrader where the course is, if that is not where it looks."""
    root = context.obj.root if context.obj is not None else Path.cwd()
    given = any(argument.startswith("--CourseDirectory.root") for argument in context.args)
    return [] if given or root == Path.cwd() else [f"--CourseDirectory.root={root}"]


def run(arguments: list[str], record: Path | None = None, zygote: Zygote | None = None) -> None:
    """Grade with nbgrader's arguments. Ends the process: 0, 1 if a submission could not be graded,
    130 if interrupted."""
    from traitlets import TraitError

    from nbseal.autograde.application import (
        AutogradeApp,  # nbgrader takes a second to import; --help should not
    )

    raise_interrupt()  # until here there was nothing to tidy up
    try:
        AutogradeApp.launch_instance(arguments, record=record, zygote=zygote)
    except TraitError as error:
        raise CourseError(f"in nbgrader_config.py or the arguments: {error}") from None
