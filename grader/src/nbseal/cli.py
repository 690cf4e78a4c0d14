"""The command line: one line per command, each command in a module of its own that is imported when
it is used."""

import atexit
import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from typer.core import TyperGroup

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.interrupts import INTERRUPTED, raise_interrupt

AUTHORS, GRADING = "For authors", "Grading"
AFTER, MACHINE = "After grading", "This machine"


class Command(NamedTuple):
    """A line of the table below."""

    group: str
    module: str
    help: str
    example: str


# The module's `command` is an ordinary typer function whose first parameter may be
# `context: typer.Context`; `context.obj` is the Course.
COMMANDS = {
    "release": Command(
        AUTHORS,
        "nbseal.authoring.release",
        "Make what students get from the instructor's version, with nbgrader.",
        "nbseal release ps1",
    ),
    "check": Command(
        AUTHORS,
        "nbseal.authoring.check",
        "Prove that every graded cell can be sealed and judged.",
        "nbseal check ps1",
    ),
    "mutants": Command(
        AUTHORS,
        "nbseal.authoring.mutants",
        "See which slips in the reference solution the tests do not notice.",
        "nbseal mutants ps1 --task mean",
    ),
    "collect": Command(
        GRADING,
        "nbseal.intake.collect",
        "Put a folder or a download of submissions where nbgrader keeps them.",
        "nbseal collect ps1 ~/Downloads/submissions.zip",
    ),
    "autograde": Command(
        GRADING,
        "nbseal.autograde.command",
        "Grade what students handed in: parallel, sealed, with nbgrader's gradebook.",
        "nbseal autograde ps1 --student ada --force",
    ),
    "due": Command(
        GRADING,
        "nbseal.autograde.due_command",
        "Say when an assignment is due, and count again who was late; runs nobody's code.",
        "nbseal due ps1 '2026-03-01 23:59' --extend ada=48",
    ),
    "feedback": Command(
        AFTER,
        "nbseal.pages.feedback_command",
        "Write what students read: scores, named mistakes, and nothing of a hidden test.",
        "nbseal feedback ps1 --for moodle",
    ),
    "report": Command(
        AFTER,
        "nbseal.pages.report",
        "Show how a class did: one page of figures and tables, and grades for an LMS.",
        "nbseal report ps1",
    ),
    "share": Command(
        AFTER,
        "nbseal.autograde.share_command",
        "Give a whole team what was given by hand to one of it.",
        "nbseal share ps1 ada",
    ),
    "doctor": Command(
        MACHINE,
        "nbseal.authoring.doctor",
        "Try every boundary around a submission on this host.",
        "nbseal doctor",
    ),
    "demo": Command(
        MACHINE,
        "nbseal.authoring.demo",
        "Grade a small class of its own, and show what an instructor sees.",
        "nbseal demo --into nbseal-demo",
    ),
    "move-gradebook": Command(
        MACHINE,
        "nbseal.autograde.moving_command",
        "Copy scores, comments, hand grades and roster into another database.",
        "nbseal move-gradebook postgresql://grader@db.example.org/grades",
    ),
}

# Where no nbgrader_config.py is in sight these take nbgrader's own defaults, as nbgrader does.
ANYWHERE = {"autograde", "report", "feedback", "doctor", "demo"}


class LazyCommands(TyperGroup):
    """Lists the commands from the table above, and imports one only when it is called."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        if name not in COMMANDS:
            return None
        known = COMMANDS[name]
        return typer.core.TyperCommand(name, help=known.help, rich_help_panel=known.group)

    def resolve_command(self, context, arguments):
        name, listed, rest = super().resolve_command(context, arguments)
        command = _load(name) if listed and name else None
        raise_interrupt()
        return name, command, rest

    def invoke(self, context):
        """Run a command; one that was interrupted says so by its exit code, and no more."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None


def _load(name: str):
    known = COMMANDS[name]
    module = importlib.import_module(known.module)
    app = typer.Typer(add_completion=False)
    app.command(
        name,
        help=known.help,
        epilog=f"Example: {known.example}",
        context_settings=getattr(module, "CONTEXT_SETTINGS", None),
    )(module.command)
    return typer.main.get_command(app)


app = typer.Typer(
    cls=LazyCommands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@app.callback()
def course(
    context: typer.Context,
    course: Annotated[
        Path | None, typer.Option(help="The course's folder; found from here upward if not given.")
    ] = None,
) -> None:
    """Grade an nbgrader course: parallel, sealed, with nbgrader's own gradebook."""
    try:
        context.obj = Course.at(course) if course else Course.find(Path.cwd())
    except CourseError:
        needed = context.invoked_subcommand not in ANYWHERE and "--help" not in sys.argv
        if course or needed:
            raise


def main() -> None:
    """Run the command line; what a person can mend is said in one sentence, with exit code 1."""
    # Python looks for garbage four times on its way out, which takes 0.4 s and frees nothing
    atexit.register(gc.freeze)
    try:
        app(prog_name="nbseal")
    except CourseError as error:
        print(f"nbseal: {error}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        from nbseal.autograde.faults import sentence

        if (said := sentence(error)) is None:
            raise
        print(f"nbseal: {said}", file=sys.stderr)
        _forget_output()
        sys.exit(1)


def _forget_output() -> None:
    """What could not be written stays unwritten: Python would try again on its way out."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
