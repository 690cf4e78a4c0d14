"""How a tool is run: `python -m tools.stamp` in the course's folder, or what `make` makes of it."""

import sys
from collections.abc import Callable
from pathlib import Path

import typer
from nbseal.course import Course
from nbseal.errors import CourseError


def here() -> Course:
    """The course that the current folder lies in."""
    return Course.find(Path.cwd())


def run(main: Callable[..., None]) -> None:
    """Run a tool's command line; what a person can mend is one sentence, with exit code 1."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    try:
        app(prog_name=f"python -m tools.{Path(sys.argv[0]).stem}")
    except CourseError as error:
        sys.exit(f"{Path(sys.argv[0]).stem}: {error}")
