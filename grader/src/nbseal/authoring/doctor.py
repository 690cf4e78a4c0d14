"""`nbseal doctor`: what would stop a hostile submission on this host, found by being one."""

from collections.abc import Iterable
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nbseal.confine.boundaries import Report, probe
from nbseal.course import Course

# Measure -> what to do where the host refuses it.
ADVICE = {
    "namespaces": (
        "Linux 5.14 or newer is needed. On Ubuntu 24.04: `sudo sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0`. "
        "On Debian 10 and older: `sudo sysctl kernel.unprivileged_userns_clone=1`. In Docker, as "
        "root: "
        "`docker run --cap-add SYS_ADMIN --security-opt apparmor=unconfined`; as another user: "
        "`--security-opt` each of "
        "`seccomp=unconfined apparmor=unconfined systempaths=unconfined`. On a managed host, use "
        "a virtual machine."
    ),
    "Landlock": (
        "Boot Linux 5.13 or newer with `landlock` in the kernel parameter `lsm=`; 6.12 or newer "
        "has all of it."
    ),
    "seccomp": "Install libseccomp (`apt install libseccomp2`, `dnf install libseccomp`).",
}


def doctor(solutions: Path | None = None, console: Console | None = None) -> bool:
    """Try every boundary, print what stopped each attempt or that nothing did; returns whether all
    are closed.

    Raises CourseError where the host cannot confine anything, as macOS and Windows cannot.
    """
    report = probe(solutions)
    console = console or Console()
    console.print(_table(report))
    for measure, reason in report.refusals.items():
        console.print(
            f"\nNot granted by this host: {measure} ({reason}).\n{ADVICE[measure]}", markup=False
        )
    if report.open:
        console.print(
            f"\n{len(report.open)} of {len(report.findings)} boundaries are open. Grading refuses "
            "to run, "
            f"unless you accept them: --accept-open={_names(report.open)}",
            markup=False,
        )
    else:
        console.print(f"\nAll {len(report.findings)} boundaries are closed.")
    return not report.open


def _table(report: Report) -> Table:
    table = Table("Boundary", "What a submission tried", "", box=None, pad_edge=False)
    table.add_column("What stopped it, or what it reached", overflow="fold")
    for finding in report.findings:
        state = "[bold red]open[/]" if finding.open else "[green]closed[/]"
        table.add_row(finding.boundary, finding.boundary.attempt, state, escape(finding.how))
    return table


def _names(boundaries: Iterable[str]) -> str:
    return ",".join(map(str, boundaries))


def command(context: typer.Context) -> None:
    """Try, as a hostile submission would, to cross every boundary on this host; exit code 1 if one
    is open."""
    course: Course | None = context.obj
    # where nbgrader keeps them by default
    solutions = course.solutions if course else Path("source").resolve()
    if not doctor(solutions if solutions.is_dir() else None):
        raise typer.Exit(1)
