"""The command line: one line per command, each command in a module of its own that is imported when
it is used."""

import atexit
import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.interrupts import INTERRUPTED, raise_interrupt

# name -> (module, what `--help` says). The module's `command` is an ordinary typer function whose
# first parameter may be `context: typer.Context`; `context.obj` is the Course.
COMMANDS = {
    "demo": (
        "nbseal.authoring.demo",
        "Grade a class built from the bank, and show what an instructor sees.",
    ),
    "release": ("nbseal.authoring.release", "Make exercises/ from solutions/ with nbgrader."),
    "stamp": ("nbseal.authoring.stamp", "Write badge and setup cell into every notebook."),
    "lectures": ("nbseal.authoring.lectures", "Run the lectures again and save their outputs."),
    "bundle": (
        "nbseal.authoring.bundle",
        "Make the student's folder and zip: no solutions, no hidden tests.",
    ),
    "check": ("nbseal.authoring.check", "Prove that every graded cell can be sealed and judged."),
    "mutants": (
        "nbseal.authoring.mutants",
        "See which slips in the reference solution the tests do not notice.",
    ),
    "collect": (
        "nbseal.intake.collect",
        "Put a folder or a download of submissions into submitted/.",
    ),
    "due": (
        "nbseal.autograde.due_command",
        "Say when an assignment is due, and count again who was late; runs nobody's code.",
    ),
    "autograde": (
        "nbseal.autograde.command",
        "Grade what students handed in: parallel, sealed, with nbgrader's gradebook.",
    ),
    "share": (
        "nbseal.autograde.share_command",
        "Give a whole team what was given by hand to one of it.",
    ),
    "report": (
        "nbseal.pages.report",
        "Show how a class did: one page of figures and tables, and grades for an LMS.",
    ),
    "feedback": (
        "nbseal.pages.feedback_command",
        "Write what students read: scores, named mistakes, and nothing of a hidden test.",
    ),
    "move-gradebook": (
        "nbseal.autograde.moving_command",
        "Copy scores, comments, hand grades and roster into another database.",
    ),
    "publish": (
        "nbseal.authoring.publish",
        "Put the student's bundle where notebooks fetch it from.",
    ),
    "doctor": ("nbseal.authoring.doctor", "Try every boundary around a submission on this host."),
}

# Where no nbgrader_config.py is in sight these take nbgrader's own defaults, as nbgrader does.
ANYWHERE = {"autograde", "report", "feedback", "doctor"}


class LazyCommands(TyperGroup):
    """Lists the commands from the table above, and imports one only when it is called."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        if name in COMMANDS:
            return typer.core.TyperCommand(name, help=COMMANDS[name][1])
        return None

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
    path, help_text = COMMANDS[name]
    module = importlib.import_module(path)
    app = typer.Typer(add_completion=False)
    app.command(name, help=help_text, context_settings=getattr(module, "CONTEXT_SETTINGS", None))(
        module.command
    )
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
    """Make, publish and grade the course's notebooks."""
    try:
        context.obj = Course.at(course) if course else Course.find(Path.cwd())
    except CourseError:
        if course or context.invoked_subcommand not in ANYWHERE:
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
