"""A class to autograde: a small nbgrader course, submissions made by changing what was released,
and what grading gave."""

import atexit
import copy
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbseal.authoring.nbgrader_api import environment
from support.engine_tools import code, make_course, notebook

# nbgrader starts `alembic` by name, which is beside Python even where nobody activated the
# environment.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

ASSIGNMENT = "numbers"
NOTEBOOK = "tasks"
CANARY = 4827  # in every hidden test, so that a leak can be searched for

RIGHT = {"double": "def double(x):\n    return 2 * x", "square": "def square(x):\n    return x * x"}

SEALED = [
    "from utils import *",
    code(
        "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "double",
        solution=True,
    ),
    code(
        'expect("twice 3", double(3), 6, mistakes={"You added 2.": 5})\n'
        "### BEGIN HIDDEN TESTS\n"
        f'expect("twice a secret", double({CANARY} + sample(1, seed=1)[0]), 2 * ({CANARY} + sample(1, seed=1)[0]))\n'
        "### END HIDDEN TESTS",
        "double_test",
        test=True,
        points=2,
    ),
    'print("between the tasks")',
    code(
        "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION",
        "square",
        solution=True,
    ),
    code(
        'expect("3 squared", square(3), 9)\n'
        "### BEGIN HIDDEN TESTS\n"
        f'expect("a secret squared", square(sample(1, seed={CANARY})[0]), sample(1, seed={CANARY})[0] ** 2)\n'
        "### END HIDDEN TESTS",
        "square_test",
        test=True,
        points=3,
    ),
    'print("the end")',
]

PLAIN = [
    code(
        "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "double",
        solution=True,
    ),
    code(
        "assert double(3) == 6\n"
        "### BEGIN HIDDEN TESTS\n"
        f"assert double({CANARY}) == {2 * CANARY}, 'double({CANARY}) is {2 * CANARY}'\n"
        "### END HIDDEN TESTS",
        "double_test",
        test=True,
        points=2,
    ),
    'print("between the tasks")',
    code(
        "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION",
        "square",
        solution=True,
    ),
    code("assert square(3) == 9", "square_test", test=True, points=3),
    code("min(square(1), 2)", "partial", test=True, points=1),
]


CONFIG = 'c = get_config()\nc.SealedExecute.course_files = ["utils.py", "checks"]\n'

_releases: dict[str, Path] = {}


def _released(key: str, release) -> Path:
    """A released course, made once in this process: nbgrader takes seconds for it."""
    if key not in _releases:
        _releases[key] = Path(tempfile.mkdtemp(prefix="released-"))
        atexit.register(shutil.rmtree, _releases[key], ignore_errors=True)
        release(_releases[key])
    return _releases[key]


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess:
    """Python in a course's folder, as a person starts it."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=400,
        env=environment(COLUMNS="200", **more) | {"PATH": PATH},
    )


class Classroom:
    """A course in a folder of its own, with one assignment."""

    def __init__(self, root: Path, cells: list = SEALED, config: str = ""):
        self.root = root
        self.source = root / "source" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
        shutil.copytree(
            _released(str(cells), lambda folder: self._release(folder, cells)),
            root,
            dirs_exist_ok=True,
        )
        (root / "nbgrader_config.py").write_text(f"{CONFIG}{config}\n")
        self.released = nbformat.read(
            root / "release" / ASSIGNMENT / f"{NOTEBOOK}.ipynb", as_version=4
        )

    def _release(self, folder: Path, cells: list) -> None:
        make_course(folder)
        (folder / "nbgrader_config.py").write_text("c = get_config()\n")
        self.write(
            folder / "source" / ASSIGNMENT / f"{NOTEBOOK}.ipynb", notebook(*copy.deepcopy(cells))
        )
        done = run(folder, "-m", "nbgrader", "generate_assignment", ASSIGNMENT)
        assert done.returncode == 0, done.stderr

    @staticmethod
    def write(path: Path, nb: NotebookNode) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(nb, path)

    def folder(self, student: str, step: str = "submitted") -> Path:
        return self.root / step / student / ASSIGNMENT

    def hand_in(self, student: str, change=None, **cells: str) -> Path:
        """Right solutions but for `cells`; `change` may do anything to the notebook. Returns its
        path."""
        nb = copy.deepcopy(self.released)
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            cell.source = (RIGHT | cells).get(name, cell.source)
        if change is not None:
            change(nb)
        path = self.folder(student) / f"{NOTEBOOK}.ipynb"
        self.write(path, nb)
        return path

    def nbgrader(self, *arguments: str, **more: str) -> subprocess.CompletedProcess:
        return run(self.root, "-m", "nbgrader", *arguments, **more)

    def autograde(self, *arguments: str, **more: str) -> subprocess.CompletedProcess:
        return run(self.root, "-m", "nbseal", "autograde", ASSIGNMENT, *arguments, **more)

    def start_autograde(self, *arguments: str) -> subprocess.Popen:
        """In a process group of its own, as from a shell, and with nobody reading what it says."""
        return subprocess.Popen(
            [sys.executable, "-m", "nbseal", "autograde", ASSIGNMENT, *arguments],
            cwd=self.root,
            env=environment() | {"PATH": PATH},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    # What grading gave

    def _ask(self, question):
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as gradebook:
            return question(gradebook)

    def scores(self, student: str) -> dict[str, float | None]:
        """Graded cell -> automatic score."""
        return self._ask(
            lambda gradebook: {
                grade.name: grade.auto_score
                for grade in gradebook.find_submission_notebook(
                    NOTEBOOK, ASSIGNMENT, student
                ).grades
            }
        )

    def is_flagged(self, student: str) -> bool:
        return bool(
            self._ask(
                lambda gradebook: (
                    gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student).flagged
                )
            )
        )

    def comments(self, student: str) -> str:
        return "\n".join(
            self._ask(
                lambda gradebook: [
                    comment.auto_comment or ""
                    for comment in gradebook.find_submission_notebook(
                        NOTEBOOK, ASSIGNMENT, student
                    ).comments
                ]
            )
        )

    def rows(self) -> dict:
        """All that the gradebook says about the submissions, but for their random ids."""

        def read(gradebook):
            return {
                submission.student.id: {
                    "timestamp": submission.timestamp,
                    "late": submission.total_seconds_late,
                    "score": submission.score,
                    "grades": {
                        grade.name: (
                            grade.auto_score,
                            grade.manual_score,
                            grade.needs_manual_grade,
                            grade.max_score,
                        )
                        for nb in submission.notebooks
                        for grade in nb.grades
                    },
                    "comments": {
                        comment.name: comment.comment
                        for nb in submission.notebooks
                        for comment in nb.comments
                    },
                    "penalty": [nb.late_submission_penalty for nb in submission.notebooks],
                    "flagged": [bool(nb.flagged) for nb in submission.notebooks],
                }
                for submission in gradebook.assignment_submissions(ASSIGNMENT)
            }

        return self._ask(read)

    def autograded(self, student: str) -> NotebookNode:
        return nbformat.read(self.folder(student, "autograded") / f"{NOTEBOOK}.ipynb", as_version=4)

    def is_autograded(self, student: str) -> bool:
        return self.folder(student, "autograded").exists()


def delete_cell(grade_id: str):
    """A change to a notebook: this cell is gone."""

    def change(nb: NotebookNode) -> None:
        nb.cells = [
            cell
            for cell in nb.cells
            if cell.metadata.get("nbgrader", {}).get("grade_id") != grade_id
        ]

    return change


def tag_tests(nb: NotebookNode) -> None:
    """A change to a notebook: its tests are to be skipped."""
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata["tags"] = ["skip-execution"]


def add_cell(source: str, after: str):
    """A change to a notebook: a cell of the student's own."""

    def change(nb: NotebookNode) -> None:
        names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in nb.cells]
        nb.cells.insert(names.index(after) + 1, nbformat.v4.new_code_cell(source))

    return change


def process_tree(root: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path("/proc", entry, "stat").read_text()
        except OSError:
            continue
        children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found
