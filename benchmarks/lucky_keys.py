"""Does a score depend on luck? Every right and wrong solution of the bank, graded under many keys.

    python benchmarks/lucky_keys.py 06_vgg_resnet --keys 20

The inputs of a test are drawn with a key that is new for each grading run. A check whose inputs can
turn out so that a wrong answer agrees with the right one (all of a ReLU's outputs 0, say), or that a
right one misses its tolerance, makes a score depend on that key. The bank's tests draw one key a
run; this draws as many as you like, and grades warm: a solution cell with its own tests, without
what else a submission has. Tasks that train for seconds are left out unless they are named.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from nbseal.authoring.bank import load_bank
from nbseal.authoring.bank_grading import grade_warm, stands_alone, tasks_by_name
from nbseal.course import Course

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
    luck: Counter[str] = Counter()
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


if __name__ == "__main__":
    sys.exit(main())
