"""One class, graded by two workers of this machine and by a cluster of two "hosts" with a core each:
what does the way there and back cost?

    python grader/benchmarks/cluster.py                                 100 submissions of 02_layer_norm
    python grader/benchmarks/cluster.py --seconds 1 --students 40       notebooks whose cells cost 1 s
    python grader/benchmarks/cluster.py --flat 1000 4000 --seconds 0    seconds a submission, by class size

The hosts are Dask workers with one thread, each bound to a core and in a folder of its own. The
scheduler, the process that speaks with it, and all that writes and judges run on the same two cores
in both cases, so that the figure is a lower bound. Runs alternate; rates are of submissions after
the first tenth, the starts of the commands are told beside them.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support.dask_cluster import DaskCluster

from benchmarks.autograde import timed
from benchmarks.classes import Class, answers_class, synthetic_class


def graded(given: Class, name: str, *more: str) -> tuple[float, float, dict]:
    """Grade the class. Returns submissions a second, seconds until the first tenth was there, and
    the scores."""
    record = given.course.root / f"{name}.json"
    arguments = [
        "-m",
        "nbseal",
        "autograde",
        given.assignment,
        "--force",
        f"--json={record}",
        *more,
    ]
    timed(arguments, given.course.root, given.course.root / f"{name}.log")
    done = json.loads(record.read_text())["submissions"]
    ends = sorted(one["finished_after"] for one in done)
    first = max(1, len(ends) // 10)
    rate = (len(ends) - first) / (ends[-1] - ends[first - 1])
    return rate, ends[first - 1], {one["student"]: one["score"] for one in done}


def with_hosts(folder: Path) -> DaskCluster:
    """A started cluster; whoever asked ends it."""
    cluster = DaskCluster(folder, OMP_NUM_THREADS="1")
    cluster.start_scheduler()
    for number, core in enumerate(sorted(os.sched_getaffinity(0))[:2]):
        cluster.start_worker(f"host{number}")
        os.sched_setaffinity(cluster.workers[f"host{number}"].pid, {core})
    time.sleep(5)
    return cluster


def made(options: argparse.Namespace, students: int, folder: Path) -> Class:
    if options.seconds is None:
        return answers_class(ROOT, options.assignment, students, folder)
    return synthetic_class(options.seconds, students, folder)


def compare(options: argparse.Namespace, folder: Path) -> None:
    given = made(options, options.students, folder / "course")
    print(f"{options.students} submissions: {given.title}, {options.rounds} rounds", flush=True)
    cluster = with_hosts(folder / "hosts")
    ratios = []
    try:
        for number in range(options.rounds):
            rates, scores = {}, []
            for how in ("here", "hosts")[:: -1 if number % 2 else 1]:
                more = [f"--cluster={cluster.address}"] if how == "hosts" else ["--workers=2"]
                rates[how], start, found = graded(given, how, *more)
                scores.append(found)
                print(f"  {how:6} {rates[how]:6.2f} a second, {start:5.1f} s to begin", flush=True)
            ratios.append(rates["hosts"] / rates["here"])
            assert scores[0] == scores[1], "the scores differ"
    finally:
        cluster.__exit__()
    print(
        f"two hosts have {statistics.median(ratios):.0%} of one machine's throughput "
        f"({min(ratios):.0%} to {max(ratios):.0%}); all scores are equal"
    )


def flat(options: argparse.Namespace, folder: Path) -> None:
    for students in options.flat:
        given = made(options, students, folder / f"course{students}")
        cluster = with_hosts(folder / f"hosts{students}")
        try:
            rate, *_ = graded(given, "hosts", f"--cluster={cluster.address}")
        finally:
            cluster.__exit__()
        print(f"{students:6} submissions: {1 / rate:.3f} s each", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--assignment", default="02_layer_norm")
    parser.add_argument("--seconds", type=float, help="CPU time of a synthetic notebook's cells")
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flat", type=int, nargs="+", help="class sizes, on the hosts alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (flat if options.flat else compare)(options, Path(folder))


if __name__ == "__main__":
    main()
