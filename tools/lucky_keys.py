"""Does a score depend on luck? Every right and wrong solution of the bank, graded under many keys.

    python -m tools.lucky_keys 06_vgg_resnet --keys 20

The inputs of a test are drawn with a key that is new for each grading run. A check whose inputs can
turn out so that a wrong answer agrees with the right one (all of a ReLU's outputs 0, say), or that a
right one misses its tolerance, makes a score depend on that key. The bank's tests draw one key a
run; this draws as many as you like, and grades warm: a solution cell with its own tests, without
what else a submission has. Tasks that train for seconds are left out unless they are named.

Before that it says how near the reference comes to losing a check itself, over as many keys: one
that comes nearer than half a tolerance is luck, too, and would stop a whole class. After it, which
wrong answers were refused by the least: one that a single number refuses, and that is off by a
hundred tolerances, passes under about one key in a hundred if that number moves with the key. So
one key tells what else a hundred would have to.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from nbseal.authoring.class_results import Graded
from nbseal.authoring.trial import NEAR, furthest_off
from nbseal.course import Course
from nbseal.engine.engine import Engine
from nbseal.notebook import files
from nbseal.records import CheckResult

from tools.bank import load_bank
from tools.bank_grading import grade_warm, stands_alone, tasks_by_name

TRAINED = {"train_names_model"}
THIN = 1e-3  # tolerances over error: a wrong answer above it is said
# As checks/comparing.py says how numbers differ.
DIFFERENCE = re.compile(
    r"got (-?[\d.]+(?:e[-+]\d+)?), wanted (-?[\d.]+(?:e[-+]\d+)?)"
    r"(?: at \[[\d, ]+\] \((\d+) of \d+ values differ\))?"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("assignment")
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--task", action="append", help="only this solution cell")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()

    course = Course.at(Path(__file__).resolve().parents[1])
    tasks = tasks_by_name(course, chosen.assignment)
    wanted = set(chosen.task or tasks.keys() - TRAINED)
    entries = [
        entry
        for entry in load_bank(course, chosen.assignment)
        if stands_alone(entry, tasks) and entry.cells.keys() <= wanted
    ]
    audited = list(audits(course, chosen.assignment, chosen.keys))
    off = Counter(furthest_off(audited))
    for (test, label), share in off.most_common(3):
        print(f"the reference: {share:.2f} of a tolerance off in {test}, {label!r}", flush=True)
    luck: Counter[str] = Counter(place for place, share in off.items() if share > NEAR)
    thin: dict[str, tuple[float, str]] = {}
    tolerances = tolerances_of(audited[0])
    for number in range(chosen.keys):
        results = grade_warm(course, entries, chosen.workers)
        lucky = [one.name for one in entries if set(results[one.name].failed) != one.fails]
        luck.update(lucky)
        for name in sorted(lucky):
            print(f"key {number + 1}: {name}", flush=True)
        for one in entries:
            found = thinly_refused(results[one.name], tolerances)
            thin[one.name] = max([thin.get(one.name, (0.0, "")), *found])
    for name, (share, where) in sorted(thin.items(), key=lambda item: -item[1][0]):
        if share > THIN:
            print(f"thin: {share:.4f} of the error would be allowed, {name}: {where}")
    print(
        f"{chosen.assignment}: {len(entries)} solutions under {chosen.keys} keys, "
        f"{sum(luck.values())} gradings of {len(luck)} solutions not as the bank says"
    )
    return 1 if luck else 0


def tolerances_of(audit: dict) -> dict[tuple[str, str], float]:
    """(Test, label of a check) -> its tolerance."""
    return {
        (test, check["label"]): check["tolerance"]
        for test, checks in audit.items()
        for check in checks
    }


def thinly_refused(
    result: Graded, tolerances: dict[tuple[str, str], float]
) -> Iterator[tuple[float, str]]:
    """Of the tests that refuse an answer: (which share of its error would be allowed, the check
    that refuses it most clearly)."""
    for test, failed in result.failures.items():
        shares = {one: allowed_share(one, tolerances.get((test, one.label))) for one in failed}
        clearest = min(shares, key=lambda one: shares[one], default=None)
        if clearest is not None:
            yield shares[clearest], f"{clearest.label!r}, {clearest.detail}"


def allowed_share(failed: CheckResult, tolerance: float | None) -> float:
    """Tolerance over error, to the power of how many numbers are wrong; 0 where that cannot be
    read: it is not numbers that differ, or they do in digits that are not shown."""
    found = DIFFERENCE.search(failed.detail)
    if not found or not tolerance:
        return 0.0
    got, wanted = float(found[1]), float(found[2])
    error = abs(got - wanted) / (abs(wanted) or 1.0)
    return min(tolerance / error, 1.0) ** int(found[3] or 1) if error else 0.0


def audits(course: Course, assignment: str, keys: int) -> Iterator[dict]:
    """What the reference's run under each key says of every check."""
    [path] = course.source_notebooks(assignment)
    source = files.read(path)
    with closing(Engine(course.view, workers=1)) as engine:
        for number in range(keys):
            key = engine.prepare(
                source,
                source,
                name=f"key {number}",
                folder=path.parent,
                key=f"lucky {number}",
                self_test=False,
            ).answer_key
            assert key is not None, "a sealed notebook has one"
            yield key.audit()[0]


if __name__ == "__main__":
    sys.exit(main())
