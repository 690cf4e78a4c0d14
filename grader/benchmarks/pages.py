"""How long feedback and a report take, for a class that is graded.

    python grader/benchmarks/pages.py                        feedback of 300, reports of 200, 1,000, 2,000
    python grader/benchmarks/pages.py --feedback 60 --nbgrader 10 --reports 200

Some submissions of 02_layer_norm are graded and copied to as many students as are asked for
(simulated.py). nbgrader makes the feedback of a few of them, twice: with this course's template, as
its command does here, and with its own. Each pair of times is taken one after the other: give the
CPU time more weight than the seconds where something else is running.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course

from benchmarks.classes import Class
from benchmarks.simulated import graded_class, grow

ASSIGNMENT, REALLY = "02_layer_norm", 40
PLAIN_CONFIG = "c = get_config()\n"  # nbgrader's own exporter, preprocessors and template


@dataclass(frozen=True)
class Cost:
    """Of one command: seconds, and seconds of processor time of it and its processes."""

    seconds: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.seconds:7.2f} s, {self.cpu:7.2f} s of CPU"


def cost(course: Course, *arguments: str) -> Cost:
    """Run Python in a course's folder. Ends the benchmark if it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=course.root,
        capture_output=True,
        text=True,
        env=environment(OMP_NUM_THREADS="1"),
    )
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(seconds, used)


def copy_of(base: Class, students: int, folder: Path) -> Class:
    """The graded class, grown to so many students."""
    shutil.copytree(base.course.root, folder)
    a_class = replace(base, course=Course.at(folder))
    grow(a_class, students)
    return a_class


def feedback(base: Class, students: int, theirs: int, folder: Path) -> None:
    """nbgrader's feedback for a few students, and ours for all."""
    course = copy_of(base, students, folder).course
    few = f"--student=student00[0-{theirs // 10 - 1}]?"
    nbgrader = ["-m", "nbgrader", "generate_feedback", ASSIGNMENT, "--force"]
    results = {}
    config = (course.root / "nbgrader_config.py").read_text()
    for title, text in (("this template", config), ("its own", PLAIN_CONFIG)):
        (course.root / "nbgrader_config.py").write_text(text)
        shutil.rmtree(course.root / "feedback", ignore_errors=True)
        first = cost(course, *nbgrader, "--student=student0000")
        taken = cost(course, *nbgrader, few)
        made = len(list((course.root / "feedback").glob("*/*/*.html")))
        more = (students - 1) / (made - 1)  # what the start takes is paid once
        results[title] = Cost(
            first.seconds + more * (taken.seconds - first.seconds),
            first.cpu + more * (taken.cpu - first.cpu),
        )
        print(f"nbgrader, {title:13}  {made:5} pages: {taken}; the first of them: {first}")
        print(f"  so {students} would take {results[title]}", flush=True)
    (course.root / "nbgrader_config.py").write_text(config)
    shutil.rmtree(course.root / "feedback")
    ours = cost(course, "-m", "nbseal", "feedback", ASSIGNMENT)
    again = cost(course, "-m", "nbseal", "feedback", ASSIGNMENT)
    print(f"nbseal feedback          {students:5} pages: {ours}")
    print(f"  again, nothing changed {students:5} pages: {again}")
    print(f"  a page: {ours.seconds / students:.3f} s, {ours.cpu / students:.3f} s of CPU")
    for title, all_of_them in results.items():
        print(
            f"  times as fast as nbgrader with {title}: {all_of_them.seconds / ours.seconds:.1f}, "
            f"{all_of_them.cpu / ours.cpu:.1f} in CPU",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--feedback", type=int, default=300)
    parser.add_argument(
        "--nbgrader", type=int, default=30, help="pages that nbgrader makes, in tens"
    )
    parser.add_argument("--reports", type=int, nargs="*", default=[200, 1000, 2000])
    parser.add_argument("--graded", type=Path, help="a course with a graded class, to start from")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pages-") as name:
        folder = Path(name)
        print(
            f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start", flush=True
        )
        if options.graded:
            base = Class(Course.at(options.graded), ASSIGNMENT, ASSIGNMENT)
        else:
            base = graded_class(ROOT, ASSIGNMENT, REALLY, folder / "base")
        if options.feedback:
            feedback(base, options.feedback, options.nbgrader, folder / "feedback")
        for students in options.reports:
            course = copy_of(base, students, folder / f"report{students}").course
            taken = cost(course, "-m", "nbseal", "report", ASSIGNMENT)
            print(f"nbseal report            {students:5} students: {taken}", flush=True)


if __name__ == "__main__":
    main()
