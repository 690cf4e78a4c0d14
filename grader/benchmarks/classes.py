"""Classes to time: of answers of the task files, or of notebooks whose cells cost a given CPU time."""

import copy
import sys
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbseal.authoring import scratch_course
from nbseal.course import Course
from nbseal.notebook import files, marks

CONFIG = """
import nbseal
c = get_config()
c.CourseDirectory.source_directory, c.CourseDirectory.release_directory = "solutions", "exercises"
nbseal.configure(c)
"""
TASKS = 8  # test cells in a synthetic notebook, as many as an assignment has


@dataclass(frozen=True)
class Class:
    """Submissions of one assignment, handed in and not graded, in a course folder of their own."""

    course: Course
    assignment: str
    title: str


def answers_class(
    root: Path, assignment: str, students: int, folder: Path, spread: bool = False
) -> Class:
    """The answers of an assignment's task files, one after the other and again from the start;
    spread: few of them, from everywhere. root: a course with task files and tools that read them.
    """
    sys.path.insert(0, str(root))
    from tools.answers import build_submission, load_answers

    course = Course.at(root)
    scratch = scratch_course.make(course, assignment, folder)
    answers = load_answers(course, assignment)
    answers = (
        answers[:: len(answers) // students] if spread and students < len(answers) else answers
    )
    built = {answer.name: build_submission(course, answer) for answer in answers}
    for number, answer in enumerate(islice(cycle(answers), students)):
        scratch_course.hand_in(scratch, f"student{number:04}", assignment, built[answer.name])
    return Class(scratch, assignment, assignment)


def synthetic_class(seconds: float, students: int, folder: Path) -> Class:
    """Right and wrong solutions of a notebook with TASKS tasks that together burn `seconds` of CPU
    time."""
    template = folder.with_name(f"{folder.name}_template")
    assignment = "burning"
    source = template / "solutions" / assignment / "burning.ipynb"
    source.parent.mkdir(parents=True)
    (template / "nbgrader_config.py").write_text(CONFIG)
    nbformat.write(_burning(seconds / TASKS), source)
    scratch = scratch_course.make(Course.at(template), assignment, folder)
    released = files.read(scratch.root / "exercises" / assignment / "burning.ipynb")
    for number in range(students):
        scratch_course.hand_in(
            scratch,
            f"student{number:04}",
            assignment,
            _solved(released, seconds / TASKS, wrong=number % (TASKS + 1)),
        )
    return Class(scratch, assignment, f"notebooks whose cells cost {seconds:g} s of CPU")


def _burning(seconds: float) -> NotebookNode:
    cells = [
        nbformat.v4.new_code_cell(
            "import time\n\n"
            "import matplotlib.pyplot as plt\nimport seaborn as sns\nimport torch\n"
            "from nbseal.checks import *\n\n\n"
            "def burn(seconds):\n    until = time.process_time() + seconds\n    while time.process_time() < until:\n        pass"
        )
    ]
    for task in range(TASKS):
        name = f"task{task}"
        body = f"    ### BEGIN SOLUTION\n{_body(seconds, right=True)}\n    ### END SOLUTION"
        cells.append(
            nbformat.v4.new_code_cell(
                f"def {name}(x):\n{body}", metadata={"nbgrader": _marks(name, solution=True)}
            )
        )
        cells.append(
            nbformat.v4.new_code_cell(
                f'expect("task {task} on 1, 2, 3", {name}(torch.tensor([1., 2., 3.])), torch.tensor([1., 4., 9.]))\n'
                f"### BEGIN HIDDEN TESTS\nx = sample(64, 64, seed={task})\n"
                f'expect("task {task} on a batch", {name}(x), x * x)\n### END HIDDEN TESTS',
                metadata={"nbgrader": _marks(f"{name}_test", grade=True, points=1)},
            )
        )
    return nbformat.v4.new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}
        },
    )


def _body(seconds: float, right: bool) -> str:
    """Burns half of a task's time, since its test calls it twice."""
    return f"    burn({seconds / 2})\n    return {'x * x' if right else 'x + x'}"


def _marks(
    name: str, *, grade: bool = False, solution: bool = False, points: float | None = None
) -> dict:
    marks = {
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": grade,
        "task": False,
        "schema_version": 3,
    }
    return marks | ({"points": points} if grade else {})


def _solved(released: NotebookNode, seconds: float, wrong: int) -> NotebookNode:
    """All tasks solved, but for number `wrong`, if there is one of that number."""
    nb = copy.deepcopy(released)
    cells = {marks.grade_id(cell): cell for cell in nb.cells}
    for task in range(TASKS):
        cells[f"task{task}"].source = f"def task{task}(x):\n{_body(seconds, right=task != wrong)}"
    return nb
