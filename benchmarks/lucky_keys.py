"""Does a score depend on luck? Every right and wrong solution of the bank, graded under many keys.

    python benchmarks/lucky_keys.py 06_vgg_resnet --keys 20

The inputs of a test are drawn with a key that is new for each grading run. A check whose inputs can
turn out so that a wrong answer agrees with the right one (all of a ReLU's outputs 0, say), or that a
right one misses its tolerance, makes a score depend on that key. The bank's tests draw one key a
run; this draws as many as you like, and grades warm: a solution cell with its own tests, without
what else a submission has. Tasks that train for seconds are left out unless they are named.

Before that it says how near the reference comes to losing a check itself, over as many keys: one
that comes nearer than half a tolerance is luck, too, and would stop a whole class.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from nbseal.authoring.bank import load_bank
from nbseal.authoring.bank_grading import grade_warm, stands_alone, tasks_by_name
from nbseal.authoring.trial import NEAR, furthest_off
from nbseal.course import Course
from nbseal.engine.engine import Engine
from nbseal.notebook import files

TRAINED = {"train_names_model"}


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
    off = Counter(furthest_off(audits(course, chosen.assignment, chosen.keys)))
    for (test, label), share in off.most_common(3):
        print(f"the reference: {share:.2f} of a tolerance off in {test}, {label!r}", flush=True)
    luck: Counter[str] = Counter(place for place, share in off.items() if share > NEAR)
    for number in range(chosen.keys):
        results = grade_warm(course, entries, chosen.workers)
        lucky = [one.name for one in entries if set(results[one.name].failed) != one.fails]
        luck.update(lucky)
        for name in sorted(lucky):
            print(f"key {number + 1}: {name}", flush=True)
    print(
        f"{chosen.assignment}: {len(entries)} solutions under {chosen.keys} keys, "
        f"{sum(luck.values())} gradings of {len(luck)} solutions not as the bank says"
    )
    return 1 if luck else 0


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
