"""Puts a report's numbers and figures into one self-contained HTML page. Everything from the class
is escaped."""

import base64
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nbseal.pages.report import analysis, figures
from nbseal.pages.report.groups import groups
from nbseal.pages.report.records import ClassRecord, Submission

FOLDER = Path(__file__).resolve().parent
TEMPLATE = "page.html.j2"
MANY = 60  # students; lists of more are folded


@dataclass(frozen=True)
class Figure:
    """A figure as the page shows it. `alt` says what it shows to those who do not see it."""

    source: str  # a data: URL
    alt: str


def render(record: ClassRecord, downloads: list[str], now: datetime) -> str:
    """The page. downloads: names of files beside it that it links to."""
    results = analysis.task_results(record)
    named, unnamed = analysis.mistakes(record), groups(record)
    drawn = {
        "scores": (figures.scores(record), "Histogram of points"),
        "tasks": (
            figures.tasks(results),
            "For each task, the share of students with all, some and none of its points",
        ),
        "mistakes": (
            figures.frequent_mistakes(named, len(record.submissions)),
            "The most frequent named mistakes, with counts",
        ),
        "separation": (
            figures.separation(results),
            "For each task, points of the best and of the weakest third",
        ),
        "solved": (
            figures.who_solved_what(record, results),
            "Every student's points in every task",
        ),
        "times": (figures.times(record), "Histogram of seconds spent executing a submission"),
    }
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": _number, "percent": _percent}
    return environment.get_template(TEMPLATE).render(
        record=record,
        results=results,
        named=named,
        unnamed=unnamed,
        downloads=downloads,
        now=now,
        scores=analysis.spread([one.score for one in record.submissions]),
        seconds=analysis.spread(
            [one.seconds for one in record.submissions if one.seconds is not None]
        ),
        attention=[one for one in record.submissions if needs_a_look(one)],
        fewest=analysis.FEWEST,
        many=MANY,
        repaired=[one for one in record.submissions if one.repairs],
        figures={name: Figure(_data_url(svg), alt) for name, (svg, alt) in drawn.items() if svg},
    )


def needs_a_look(submission: Submission) -> bool:
    return bool(submission.flags or submission.unreadable)


def _data_url(svg: str) -> str:
    """As an `<img>`: in the page itself the names in one drawing would meet those in another."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _number(value: float | None, digits: int = 2) -> str:
    return (
        "–"
        if value is None
        else f"{value:.{digits}f}".rstrip("0").rstrip(".")
        if digits
        else f"{value:.0f}"
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
