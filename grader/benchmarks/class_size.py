"""What does a submission cost in classes of several sizes, with several workers?

    python grader/benchmarks/class_size.py                        draws docs/images/cost.svg
    python grader/benchmarks/class_size.py --seconds 1 --sizes 10 100 --workers 1 2 --into cost.svg

Notebooks whose cells cost a known time (--seconds, of CPU), graded by `nbseal autograde` from
start to end: what all submissions share, the start of the command and the reference solution, is
divided among them. nbgrader's own engine grades a few of them, one by one. "Bare" is the same cells
in one warm process: with n processors, no autograder can be faster than its n-th part.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

from benchmarks.autograde import bare_cpu, grade_with_nbgrader, timed
from benchmarks.classes import synthetic_class

BY_NBGRADER = 4  # submissions
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


def measure(options: argparse.Namespace, folder: Path) -> tuple[dict[int, list[float]], dict]:
    """Seconds a submission: by number of workers for each size; and of what they are compared
    with."""
    ours: dict[int, list[float]] = {}
    for workers in options.workers:
        for size in options.sizes:
            place = folder / f"{workers}_{size}"
            a_class = synthetic_class(options.seconds, size, place / "ours")
            command = ["-m", "nbseal", "autograde", a_class.assignment, f"--workers={workers}"]
            took = timed(command, a_class.course.root, place / "log").seconds / size
            ours.setdefault(workers, []).append(took)
            print(f"{size:6} submissions, {workers} workers: {took:.3f} s each", flush=True)
    a_class = synthetic_class(options.seconds, BY_NBGRADER, folder / "both" / "ours")
    others = {"bare": bare_cpu(a_class)}
    took, _ = grade_with_nbgrader(a_class, BY_NBGRADER, folder / "both")
    others["nbgrader"] = took.seconds / BY_NBGRADER
    print("  ".join(f"{name} {seconds:.3f} s" for name, seconds in others.items()))
    return ours, others


def draw(options: argparse.Namespace, ours: dict[int, list[float]], others: dict) -> None:
    processors = os.cpu_count() or 1
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    lines = {
        "nbgrader": others["nbgrader"],
        "limit of 1 processor": others["bare"],
        f"limit of {processors} processors": others["bare"] / processors,
    }
    for name, seconds in lines.items():
        axes.axhline(seconds, color="0.45", linestyle="--", linewidth=1)
        axes.annotate(
            f"{name}: {seconds:.2f} s",
            (options.sizes[0], seconds),
            xytext=(0, 3),
            textcoords="offset points",
            color="0.3",
            fontsize=9,
        )
    for colour, (workers, seconds) in zip(COLOURS, ours.items()):
        name = f"{workers} worker{'s' * (workers > 1)}"
        axes.plot(options.sizes, seconds, "o-", color=colour, label=name)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="submissions in the class",
        ylabel="seconds a submission, start included",
        title=f"Notebooks whose cells take {options.seconds:g} s, on {processors} processors",
    )
    axes.set_xticks(options.sizes, [str(size) for size in options.sizes], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_yticks([0.1, 0.2, 0.5, 1, 2, 5], ["0.1", "0.2", "0.5", "1", "2", "5"])
    axes.set_yticks([], minor=True)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(options.into, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 20, 80, 320])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "images" / "cost.svg")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        draw(options, *measure(options, Path(name)))


if __name__ == "__main__":
    main()
