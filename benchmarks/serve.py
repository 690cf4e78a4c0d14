"""How long one submission takes, by `nbseal autograde --student` as it is and where `nbseal serve`
runs, in turns.

    python benchmarks/serve.py                     02_layer_norm, 7 of each
    python benchmarks/serve.py --pause 0           pressed again at once: nothing is ready yet

The pause is what a person takes from one to the next, in which the server gets ready again; without
one, all that is to be done for a run of its own is in its seconds. Equal: every score.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from nbseal.authoring.class_results import read_class
from nbseal.authoring.nbgrader_api import environment

from benchmarks.autograde import timed
from benchmarks.classes import Class, bank_class


def serve(a_class: Class, log: Path) -> subprocess.Popen:
    """A server of the class's course, once it is ready."""
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "nbseal", "serve", a_class.assignment],
            cwd=a_class.course.root,
            stdout=output,
            stderr=output,
            env=environment(OMP_NUM_THREADS="1"),
        )
    wait_for(log, 1)
    return server


def wait_for(log: Path, times: int) -> None:
    """Until a server has been ready so often."""
    while log.read_text().count(" is ready") < times:
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--assignment", default="02_layer_norm")
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--pause", type=float, help="seconds; until it is ready if not given")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="serve-") as name:
        folder, students = Path(name), arguments.times
        cold = bank_class(ROOT, arguments.assignment, students, folder / "cold", spread=True)
        warm = bank_class(ROOT, arguments.assignment, students, folder / "warm", spread=True)
        log = folder / "server.log"
        server = serve(warm, log)
        seconds: dict[str, list[float]] = {"as it is": [], "served": []}
        try:
            for number in range(students):
                command = ["-m", "nbseal", "autograde", arguments.assignment]
                command += [f"--student=student{number:04}"]
                for how, a_class in zip(seconds, (cold, warm), strict=True):
                    root, said = a_class.course.root, folder / "said.log"
                    seconds[how].append(timed(command, root, said).seconds)
                if arguments.pause is None:
                    wait_for(log, number + 2)
                else:
                    time.sleep(arguments.pause)
        finally:
            server.terminate()
            server.wait()
        for how, took in seconds.items():
            print(
                f"{how}: median {statistics.median(took):.2f} s "
                f"({min(took):.2f} to {max(took):.2f}, {students} times)"
            )
        ratio = statistics.median(seconds["as it is"]) / statistics.median(seconds["served"])
        found = [read_class(one.course, one.assignment) for one in (cold, warm)]
        equal = sum(found[0][who].scores == found[1][who].scores for who in found[0])
        print(f"{ratio:.1f} times as fast; equal scores: {equal} of {students}")


if __name__ == "__main__":
    main()
