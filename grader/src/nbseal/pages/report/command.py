"""The command line of the report."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from nbseal.errors import CourseError


def command(
    context: typer.Context,
    assignment: Annotated[str, typer.Argument(help="Name of the assignment.")],
    into: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the page and the files; reports/ASSIGNMENT in the course if not given."
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The gradebook, such as sqlite:///gradebook.db."),
    ] = None,
) -> None:
    """Write report.html, and the grades as CSV files for nbgrader, Canvas and Moodle."""
    root = context.obj.root if context.obj else Path.cwd()
    folder = (into or root / "reports" / assignment).resolve()
    for path in write(root, assignment, folder, db):
        print(path)


def write(root: Path, assignment: str, folder: Path, db_url: str | None = None) -> list[Path]:
    """Write all files of a report; returns their paths, the page first. Raises CourseError where
    there is nothing to report."""
    # nbgrader takes a second to import; --help should not.
    from nbgrader.api import Gradebook

    from nbseal.pages.exports import FORMATS
    from nbseal.pages.report.gathering import course_directory, gather
    from nbseal.pages.report.page import render

    coursedir = course_directory(root, db_url)
    _require_gradebook(coursedir.db_url, assignment)
    page = folder / "report.html"
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        record = gather(gradebook, coursedir, assignment, page)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, kind in FORMATS.items():
                kind(to=str(folder / name), assignment=[assignment]).export(gradebook)
            page.write_text(render(record, list(FORMATS), datetime.now()), encoding="utf-8")
        except OSError as error:
            raise CourseError(
                f"{error.filename or folder} could not be written ({error.strerror}): "
                "name another folder with --into."
            ) from None
    return [page, *(folder / name for name in FORMATS)]


def _require_gradebook(db_url: str, assignment: str) -> None:
    """nbgrader makes a gradebook where there is none; a report must not."""
    path = Path(db_url.removeprefix("sqlite:///"))
    if db_url.startswith("sqlite:///") and not path.is_file():
        raise CourseError(
            f"there is no gradebook {path}: run `nbseal autograde {assignment}` first."
        )
