"""Kill a random process of a grading run at a random moment, many times: is a score ever lost or
wrong?

    python grader/benchmarks/kill_study.py [KILLS] [SEED]

Prints a line for each kill, and ends with 1 if anything was wrong after the next run.
"""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "grader"), str(ROOT / "grader" / "tests")]

from support.killing import NOTHING, kill_and_grade_again, make_class


def main(kills: int = 50, seed: int = 0) -> int:
    draw, complaints, victims = random.Random(seed), 0, Counter()
    with tempfile.TemporaryDirectory() as folder:
        classes = []
        for sealed in (True, False):
            room = make_class(Path(folder, "sealed" if sealed else "plain"), sealed)
            untouched = shutil.copytree(
                room.root, room.root.with_name(f"{room.root.name}_untouched")
            )
            began = time.monotonic()
            room.autograde("--workers", "2")
            classes.append((room, untouched, room.rows(), time.monotonic() - began))
        while victims.total() - victims[NOTHING] < kills:
            room, untouched, expected, took = classes[victims.total() % 2]
            shutil.rmtree(room.root)
            shutil.copytree(untouched, room.root)
            kill = kill_and_grade_again(room, expected, took, draw)
            victims[kill.victim] += 1
            complaints += bool(kill.complaints)
            print(
                f"{victims.total():3}  {kill.after:5.1f} s  {kill.victim}: {'; '.join(kill.complaints) or 'nothing lost'}",
                flush=True,
            )
    print(f"\n{kills} kills, {complaints} with a score lost or wrong, or something left behind")
    for victim, count in victims.most_common():
        print(f"{count:4}  {victim}")
    return complaints > 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
