"""`nbseal collect`: what students handed in, from a folder or a download, into nbgrader's
submitted/.

`archives` opens what was downloaded and refuses what tries to escape, `naming` reads students and
notebooks from file names, `owners` tells whose a file is, `sorting` puts the files of one student
together, `filing` puts them into submitted/, whole or not at all.
"""

from pathlib import Path
from typing import Annotated

import typer

from nbseal.course import Course
from nbseal.intake.collect.command import collect, report


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Folders, archives or notebooks.")
    ],
    students: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="A table `file-or-folder,student`: whose files are those that do not tell. "
            "A team is `student;student`.",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Moodle's grading worksheet or Canvas's gradebook, as they export them: who has "
            "which number there, and when work came in.",
        ),
    ] = None,
    allow_unknown: Annotated[
        bool,
        typer.Option(
            "--allow-unknown",
            help="Also file what students hand in whom the gradebook "
            "does not have; they are added to it when they are graded.",
        ),
    ] = False,
    prefer_own: Annotated[
        bool,
        typer.Option(
            "--prefer-own",
            help="Where a member of a team also handed in alone, that counts, and not the team's.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
) -> None:
    """Put notebooks from a folder, zip, or a download of Moodle, Canvas, Gradescope and others into
    submitted/."""
    course: Course = context.obj
    outcome = collect(
        course,
        assignment,
        paths,
        students,
        dry_run=dry_run,
        allow_unknown=allow_unknown,
        prefer_own=prefer_own,
        table=table,
    )
    report(outcome, dry_run)
    raise typer.Exit(1 if outcome.refused or outcome.unknown or outcome.strangers else 0)
