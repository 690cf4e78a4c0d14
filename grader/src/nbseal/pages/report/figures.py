"""The report's figures, each as an SVG: one finding per figure, and the finding is its title."""

import textwrap

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from nbseal.pages.report.analysis import Mistake, TaskResult, spread
from nbseal.pages.report.drawing import PALETTE, drawn, short
from nbseal.pages.report.records import ClassRecord

MOST_MISTAKES = 8
# so many students have a column each where they are drawn one by one; more are drawn in groups
MOST_COLUMNS, GROUPS = 120, 80


def scores(record: ClassRecord) -> str:
    """How many students have how many points."""
    values = [one.score for one in record.submissions]
    found = spread(values)
    assert found is not None, "a class without submissions has no page"

    def draw(axes: Axes) -> str:
        top = max(record.max_score, found.highest, 1)
        width = max(1.0, np.ceil(top / 20))
        edges = np.arange(-width / 2, top + width, width)
        axes.hist(
            values, bins=edges.tolist(), color=PALETTE["blue"], edgecolor="white", linewidth=1.5
        )
        axes.axvline(found.median, color=PALETTE["red"], linewidth=2)
        left = found.median > 0.6 * top
        axes.annotate(
            f"median {found.median:.3g}",
            (found.median, 1),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            xytext=(-6 if left else 6, -4),
            ha="right" if left else "left",
            va="top",
            color=PALETTE["red"],
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
        )
        axes.set(
            xlabel=f"points of {record.max_score:g}",
            ylabel="students",
            xlim=(-width / 2, top + width / 2),
        )
        axes.yaxis.set_major_locator(
            matplotlib.ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10])
        )
        axes.xaxis.set_major_locator(
            matplotlib.ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10])
        )
        axes.grid(axis="x", visible=False)
        full = sum(value >= record.max_score for value in values)
        all_points = f"{full or 'nobody'} {'has' if full <= 1 else 'have'} them all"
        return (
            f"Half of {len(values)} students have {found.median:.3g} of {record.max_score:g} "
            f"points or more; {all_points}"
        )

    return drawn(draw, 3.4)


def tasks(results: list[TaskResult]) -> str | None:
    """For each task, who got all points, some, or none."""
    known = [result for result in results if result.mean is not None]
    if not known:
        return None

    def draw(axes: Axes) -> str:
        places = np.arange(len(known))
        solved = np.array([result.solved for result in known])
        nothing = np.array([result.nothing for result in known])
        parts = [
            ("all points", solved, PALETTE["blue"]),
            ("some", 1 - solved - nothing, PALETTE["sky"]),
            ("none", nothing, PALETTE["pale"]),
        ]
        start = np.zeros(len(known))
        for label, share, color in parts:
            if share.max() > 1e-9:
                axes.barh(places, share, left=start, color=color, label=label, height=0.72)
            start += share
        for place, share in zip(places, solved):
            inside = share > 0.12
            axes.text(
                share - 0.01 if inside else share + 0.01,
                float(place),
                f"{share:.0%}",
                va="center",
                ha="right" if inside else "left",
                color="white" if inside else PALETTE["black"],
            )
        axes.set_yticks(
            places, [f"{short(result.task.name)} ({result.task.max_score:g})" for result in known]
        )
        axes.invert_yaxis()
        axes.set(xlim=(0, 1), xlabel="share of students")
        axes.xaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
        axes.grid(axis="y", visible=False)
        axes.legend(
            ncols=3, loc="lower left", bbox_to_anchor=(0, 1), frameon=False, borderaxespad=0.2
        )
        hardest, easiest = (
            min(known, key=lambda result: result.solved or 0.0),
            max(known, key=lambda result: result.solved or 0.0),
        )
        if len(known) == 1:
            return f"{hardest.solved:.0%} solved {short(hardest.task.name)}"
        return (
            f"Hardest: {short(hardest.task.name)}, solved by {hardest.solved:.0%}. "
            f"Easiest: {short(easiest.task.name)}, by {easiest.solved:.0%}"
        )

    return drawn(draw, 1.5 + 0.36 * len(known))


def frequent_mistakes(found: list[Mistake], students: int) -> str | None:
    """The named mistakes that most students made."""
    shown = found[:MOST_MISTAKES]
    if not shown:
        return None
    texts = [
        textwrap.wrap(
            f"{short(mistake.task.name)}: {mistake.text}", 62, max_lines=3, placeholder=" ..."
        )
        for mistake in shown
    ]

    def draw(axes: Axes) -> str:
        lines = np.array([len(text) for text in texts])
        places = np.cumsum(lines + 0.7) - (lines + 0.7) / 2
        counts = [mistake.count for mistake in shown]
        axes.barh(places, counts, height=0.8, color=PALETTE["red"])
        for place, count in zip(places, counts):
            axes.text(count, place, f" {count}", va="center", fontweight="bold")
        axes.set_yticks(places, ["\n".join(text) for text in texts], fontsize=9.5)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set(xlim=(0, 1.12 * max(counts)), xlabel="students")
        axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True, nbins=4))
        axes.grid(axis="y", visible=False)
        first = shown[0]
        return (
            f"The most frequent named mistake, in {short(first.task.name)}, was made by "
            f"{first.count} of {students} students"
        )

    return drawn(draw, 1.2 + 0.22 * sum(len(text) + 0.7 for text in texts))


def separation(results: list[TaskResult]) -> str | None:
    """For each task, the points of the best third beside those of the weakest."""
    known = sorted(
        (result for result in results if result.gap is not None),
        key=lambda result: -(result.gap or 0.0),
    )
    if not known:
        return None

    def draw(axes: Axes) -> str:
        places = np.arange(len(known))
        bottom, top = ([getattr(result, name) for result in known] for name in ("bottom", "top"))
        axes.hlines(places, bottom, top, color=PALETTE["grey"], linewidth=2.5, zorder=2)
        axes.scatter(
            bottom,
            places,
            color=PALETTE["orange"],
            s=70,
            zorder=3,
            clip_on=False,
            label="weakest third",
        )
        axes.scatter(
            top, places, color=PALETTE["blue"], s=70, zorder=3, clip_on=False, label="best third"
        )
        axes.set_yticks(places, [short(result.task.name) for result in known])
        axes.invert_yaxis()
        axes.set(xlim=(0, 1), xlabel="share of the task's points")
        axes.xaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
        axes.legend(
            ncols=2, loc="lower left", bbox_to_anchor=(0, 1), frameon=False, borderaxespad=0.4
        )
        first = known[0]
        return (
            f"{short(first.task.name)} separates most: {first.top:.0%} of its points for the "
            f"best third, {first.bottom:.0%} for the weakest"
        )

    return drawn(draw, 1.6 + 0.36 * len(known))


def who_solved_what(record: ClassRecord, results: list[TaskResult]) -> str | None:
    """Every student's share of every task: students from the best, tasks from the easiest."""
    order = sorted(
        (result for result in results if result.mean is not None),
        key=lambda result: -(result.solved or 0.0),
    )
    if len(order) < 2 or len(record.submissions) < 2:
        return None
    students = sorted(record.submissions, key=lambda one: -one.score)

    def share(points: float | None, max_score: float) -> float:
        return np.nan if points is None or not max_score else min(points / max_score, 1)

    table = np.array(
        [
            [share(one.scores.get(result.task.key), result.task.max_score) for one in students]
            for result in order
        ]
    )
    if len(students) > MOST_COLUMNS:
        return _who_solved_what(order, _grouped(table), about=round(len(students) / GROUPS))
    return _who_solved_what(order, np.where(table >= 1, 1, np.where(table > 0, 0.5, table)))


def _grouped(table: np.ndarray) -> np.ndarray:
    """Of (tasks, students), the mean of GROUPS groups of neighbours; of those whose is known."""
    known = ~np.isnan(table)
    groups = np.array_split(np.arange(table.shape[1]), GROUPS)
    sums, counts = (
        np.stack([values[:, group].sum(axis=1) for group in groups], axis=1)
        for values in (np.where(known, table, 0), known)
    )
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _who_solved_what(order: list[TaskResult], table: np.ndarray, about: int = 1) -> str:
    """about: how many students a column stands for."""

    def draw(axes: Axes) -> str:
        colors = LinearSegmentedColormap.from_list(
            "points", [PALETTE["pale"], PALETTE["sky"], PALETTE["blue"]]
        ).with_extremes(bad="white")
        axes.imshow(
            np.ma.masked_invalid(table),
            cmap=colors,
            vmin=0,
            vmax=1,
            aspect="auto",
            interpolation="nearest",
        )
        rows, columns = table.shape
        axes.set_yticks(range(rows), [short(result.task.name) for result in order])
        axes.set_xticks([])
        axes.set_xlabel("students, from most points to fewest")
        axes.hlines(np.arange(0.5, rows - 1), -0.5, columns - 0.5, color="white", linewidth=1.5)
        if about == 1:
            edges = np.arange(0.5, columns - 1)
            axes.vlines(edges, -0.5, rows - 0.5, color="white", linewidth=0.8)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        if about > 1:
            return (
                f"Who solved what: a column is some {about} students, and the darker it is, the "
                "more of a task's points they have"
            )
        return (
            "Who solved what: a pale cell in a blue column is one task that a strong student missed"
        )

    return drawn(draw, 1.3 + 0.32 * len(order))


def times(record: ClassRecord) -> str | None:
    """How long submissions ran."""
    values = [one.seconds for one in record.submissions if one.seconds is not None]
    found = spread(values)
    if found is None or len(values) < 2:
        return None

    def draw(axes: Axes) -> str:
        axes.hist(
            values,
            bins=min(30, max(8, len(values) // 3)),
            color=PALETTE["green"],
            edgecolor="white",
        )
        axes.axvline(found.median, color=PALETTE["red"], linewidth=2)
        axes.set(xlabel="seconds of executing one submission", ylabel="students")
        axes.yaxis.set_major_locator(
            matplotlib.ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10])
        )
        axes.grid(axis="x", visible=False)
        return (
            f"Half of the submissions ran in {found.median:.2g} s or less; the longest took "
            f"{found.highest:.2g} s"
        )

    return drawn(draw, 2.9)
