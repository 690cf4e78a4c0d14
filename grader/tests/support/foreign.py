"""A course that was written without this grader in mind: folders with names of its own, two
notebooks in one assignment and a file beside them, plain asserts, and one `expect`."""

import copy
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from support.engine_tools import code

ASSIGNMENT = "ps1"
CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "statistics"
c.CourseDirectory.source_directory = "instructor"
c.CourseDirectory.release_directory = "students"
c.CourseDirectory.submitted_directory = "handed_in"
"""
TWO_LINES = 'import nbseal\nnbseal.configure(c, course_files=["shared.py"])\n'

BASICS = [
    "from shared import UNIT",
    code(
        "def total(path):\n"
        "    ### BEGIN SOLUTION\n"
        "    return sum(float(line) for line in open(path))\n"
        "    ### END SOLUTION",
        "total",
        solution=True,
    ),
    code("assert total('numbers.csv') == 6, 'add all lines'", "total_visible", test=True, points=1),
    code(
        "### BEGIN HIDDEN TESTS\n"
        "open('more.csv', 'w').write('1\\n' * 7)\n"
        "assert total('more.csv') == 7 * UNIT\n"
        "### END HIDDEN TESTS",
        "total_hidden",
        test=True,
        points=2,
    ),
    "",
]
STATS = [
    "from nbseal.checks import expect, sample",
    code(
        "def mean(values):\n"
        "    ### BEGIN SOLUTION\n"
        "    return sum(values) / len(values)\n"
        "    ### END SOLUTION",
        "mean",
        solution=True,
    ),
    code(
        'expect("the mean of 1, 2, 6", mean([1, 2, 6]), 3, mistakes={"That is the median.": 2})\n'
        "### BEGIN HIDDEN TESTS\n"
        "values = list(sample(5, seed=3))\n"
        'expect("the mean of five values", mean(values), sum(values) / 5)\n'
        "### END HIDDEN TESTS",
        "mean_test",
        test=True,
        points=3,
    ),
]
FULL = {"total_visible": 1, "total_hidden": 2, "mean_test": 3}
RIGHT = {
    "total": "def total(path):\n    return sum(map(float, open(path)))",
    "mean": "def mean(values):\n    return sum(values) / len(values)",
}


def old_notebook(*cells) -> NotebookNode:
    """Of a version of Jupyter that gave cells no ids, as most courses have them."""
    made = [code(cell) if isinstance(cell, str) else copy.deepcopy(cell) for cell in cells]
    nb = nbformat.v4.new_notebook(cells=made)
    nb.nbformat_minor = 4
    for cell in nb.cells:
        cell.pop("id", None)
    nb.metadata.kernelspec = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return nb


class ForeignCourse:
    """The course in a folder, and what people do with it."""

    def __init__(
        self, root: Path, notebooks: dict[str, list] | None = None, config: str = TWO_LINES
    ):
        self.root = root
        root.mkdir(parents=True)
        (root / "nbgrader_config.py").write_text(CONFIG + config)
        (root / "shared.py").write_text("UNIT = 1\n")
        self.source.mkdir(parents=True)
        (self.source / "numbers.csv").write_text("1\n2\n3\n")
        for name, cells in (notebooks or {"basics": BASICS, "stats": STATS}).items():
            nbformat.write(old_notebook(*cells), self.source / f"{name}.ipynb")

    @property
    def source(self) -> Path:
        return self.root / "instructor" / ASSIGNMENT

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text in an instructor's notebook file."""
        path = self.source / f"{name}.ipynb"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def run(self, *arguments: str, cwd: Path | None = None, **more: str):
        """Python with these arguments, as a person starts it in the course's folder."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or self.root,
            capture_output=True,
            text=True,
            timeout=400,
            env={**os.environ, "COLUMNS": "200", "PATH": path, **more},
        )

    def release(self, *arguments: str) -> None:
        done = self.run("-m", "nbgrader", "generate_assignment", ASSIGNMENT, *arguments)
        assert done.returncode == 0, done.stderr

    def autograde(self, *arguments: str, **more: str):
        return self.run("-m", "nbseal", "autograde", ASSIGNMENT, *arguments, **more)

    def hand_in(self, student: str, **answers: str) -> Path:
        """The release with these answers in it, nothing else changed. Returns the folder."""
        folder = self.root / "handed_in" / student / ASSIGNMENT
        shutil.copytree(self.root / "students" / ASSIGNMENT, folder)
        for path in folder.glob("*.ipynb"):
            nb = nbformat.read(path, as_version=4)
            for cell in nb.cells:
                name = cell.metadata.get("nbgrader", {}).get("grade_id")
                cell.source = answers.get(name, cell.source)
            nbformat.write(nb, path)
        return folder

    def autograded(self, student: str, name: str) -> NotebookNode:
        path = self.root / "autograded" / student / ASSIGNMENT / f"{name}.ipynb"
        return nbformat.read(path, as_version=4)

    def scores(self, student: str, gradebook: str = "gradebook.db") -> dict[str, float | None]:
        """Graded cell -> automatic score, of all notebooks."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / gradebook}") as opened:
            submission = opened.find_submission(ASSIGNMENT, student)
            return {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
