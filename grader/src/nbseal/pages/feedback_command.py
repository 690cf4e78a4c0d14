"""`nbseal feedback`: nbgrader's generate_feedback, with what students may read and nothing more."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nbseal.errors import CourseError
from nbseal.interrupts import INTERRUPTED, raise_interrupt

# Whatever is not an option of ours goes to nbgrader.
CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


class System(StrEnum):
    """What feedback goes back to."""

    moodle = "moodle"
    canvas = "canvas"
    gradescope = "gradescope"


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    student: Annotated[
        str | None, typer.Option(help="Only this student; * and ? are wildcards.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Write all of them, also what did not change.")
    ] = False,
    system: Annotated[
        System | None,
        typer.Option("--for", help="Also pack the pages as this system takes them back."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Moodle's grading worksheet or Canvas's gradebook, to be filled in with scores.",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="Canvas's column for the scores, by its title or number.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Pages made at the same time; if not given, as processors."),
    ] = None,
) -> None:
    """Write a page for each autograded notebook that changed, or whose scores or comments did. Also
    takes nbgrader's own flags."""
    if system is None and (table or column):
        raise CourseError("--table and --column go with --for: say for which system.")
    if system is not None and context.obj is None:
        raise CourseError("--for needs a course: go to its folder, or name it with --course.")
    flags = {"--student": student, "--ParallelFeedback.workers": workers}
    arguments = [assignment, *context.args, *["--force"] * force]
    arguments += [f"{flag}={value}" for flag, value in flags.items() if value is not None]
    if context.obj is not None:
        arguments.append(f"--CourseDirectory.root={context.obj.root}")
    if system is None:
        run(arguments)
        return
    try:
        run(arguments)
    except SystemExit as end:
        if end.code:
            raise
    from nbseal.pages.returning_command import give_back

    give_back(context.obj, str(system), assignment, student or "*", table, column)


def run(arguments: list[str]) -> None:
    """Write feedback with nbgrader's arguments. Ends the process: 0, 1 if a page could not be made,
    130 if interrupted."""
    from traitlets import TraitError

    from nbseal.pages.feedback_run import FeedbackApp  # takes a second to import; --help should not

    raise_interrupt()  # until here there was nothing to tidy up
    try:
        FeedbackApp.launch_instance(arguments)
    except TraitError as error:
        raise CourseError(f"in nbgrader_config.py or the arguments: {error}") from None
    except KeyboardInterrupt:
        print("Interrupted. What is written stays: the same command goes on.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    sys.exit(0)
