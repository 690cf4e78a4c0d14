"""Puts a report's numbers into one self-contained HTML page without a script; its figures are HTML
and CSS. Everything from the class is escaped."""

from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nbseal.pages.report import analysis
from nbseal.pages.report.records import ClassRecord, Submission

FOLDER = Path(__file__).resolve().parent
TEMPLATE = "page.html.j2"
MANY = 60  # students; lists of more are folded
MOST = 12  # problems that are shown at once; more are folded


def render(record: ClassRecord, downloads: list[str], now: datetime) -> str:
    """The page. downloads: names of files beside it that it links to."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": _number, "percent": _percent}
    submissions = record.submissions
    return environment.get_template(TEMPLATE).render(
        record=record,
        results=analysis.task_results(record),
        problems=analysis.problems(record),
        bins=analysis.score_histogram(record),
        measured=analysis.measured(record),
        downloads=downloads,
        now=now,
        scores=analysis.spread([one.score for one in submissions]),
        seconds=analysis.spread([one.seconds for one in submissions if one.seconds is not None]),
        attention=[one for one in submissions if needs_a_look(one)],
        repaired=[one for one in submissions if one.repairs],
        full=sum(one.score >= one.max_score for one in submissions),
        many=MANY,
        most=MOST,
    )


def needs_a_look(submission: Submission) -> bool:
    return bool(submission.flags or submission.unreadable)


def _number(value: float | None, digits: int = 2) -> str:
    """A number as a reader wants it: no zeros behind it, and small ones in full."""
    if value is None:
        return "–"
    if 0 < abs(value) < 10**-digits:
        return f"{value:.2g}"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
