"""The course that is attacked on sealed tests: one assignment of ten tasks in torch, with ready-made
operations that it forbids. Its notebook is in norms.cells."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbseal.authoring import scratch_course
from nbseal.course import Course
from nbseal.notebook import marks
from support.engine_tools import code, notebook

ASSIGNMENT, NOTEBOOK = "02_layer_norm", "layer_norm.ipynb"
CELLS = Path(__file__).with_name("norms.cells")
CELL = re.compile(r"^# %% (\w+)(?:, (\d) points?)?\n", re.MULTILINE)
MARKER = re.compile(r" *### (BEGIN|END) SOLUTION\n?")
CONFIG = """
import nbseal

c = get_config()
c.CourseDirectory.source_directory, c.CourseDirectory.release_directory = "solutions", "exercises"
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("TODO: write your solution here")'}
nbseal.configure(c, course_files=["utils.py", "data"])
"""
TWO_MOMENTS = "    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)\n"
BY_EINSUM = {
    "row_stats": "def row_stats(x):\n"
    "    mean = torch.einsum('...d->...', x).unsqueeze(-1) / x.size(-1)\n"
    "    return mean, torch.einsum('...d,...d->...', x - mean, x - mean).unsqueeze(-1) / x.size(-1)"
}
BY_VAR_MEAN = {
    "row_stats": f"def row_stats(x):\n{TWO_MOMENTS}    return mean, var",
    "layer_norm": f"def layer_norm(x, gamma, beta, eps):\n{TWO_MOMENTS}"
    "    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(var + eps))",
}
WITH_A_HELPER = {
    "row_stats": "def moments(x, dims=(-1,)):\n"
    "    mean = x.mean(dims, keepdim=True)\n"
    "    return mean, (x - mean).pow(2).mean(dims, keepdim=True)\n\n\n"
    "def row_stats(x):\n    return moments(x)",
    "normalise_over": "def normalise_over(x, dims, eps=1e-5):\n"
    "    mean, var = moments(x, dims)\n"
    "    return (x - mean) / (var + eps).sqrt()",
}
UNBIASED = {
    "layer_norm": "def layer_norm(x, gamma, beta, eps):\n"
    "    mean = x.mean(-1, keepdim=True)\n"
    "    return gamma * (x - mean) / (x.var(-1, keepdim=True) + eps).sqrt() + beta"
}
STANDARD_DEVIATION = {
    "row_stats": "def row_stats(x):\n"
    "    return x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)"
}
# Students between the attackers, in the order of grading: their answers where these are not the
# reference's, and the tests that they fail.
HONEST: dict[str, tuple[dict[str, str], set[str]]] = {
    "aa_honest": (BY_EINSUM, set()),
    "cc_honest": (UNBIASED, {"layer_norm_test"}),
    "fz_honest": (BY_VAR_MEAN, set()),
    "mm_honest": (STANDARD_DEVIATION, {"row_stats_test"}),
    "px_honest": (BY_VAR_MEAN, set()),
    "zz_honest": (WITH_A_HELPER, set()),
}


def make_norms(folder: Path) -> Course:
    """The course in `folder`, its assignment released."""
    template = folder.with_name(f"{folder.name}_template")
    source = template / "solutions" / ASSIGNMENT / NOTEBOOK
    source.parent.mkdir(parents=True)
    (template / "data").mkdir()
    (template / "data" / "names.txt").write_text("ada\nbela\n")
    (template / "utils.py").write_text("from nbseal.checks import *\n")
    (template / "nbgrader_config.py").write_text(CONFIG)
    nbformat.write(source_notebook(), source)
    return scratch_course.make(Course.at(template), ASSIGNMENT, folder)


def source_notebook() -> NotebookNode:
    """The instructor's version."""
    _, *parts = CELL.split(CELLS.read_text(encoding="utf-8"))
    cells = []
    for name, points, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        solved = "### BEGIN SOLUTION" in text
        marked = {"test": True, "points": float(points)} if points else {"solution": solved}
        cells.append(code(text.strip(), name, **marked))
    made = notebook(*cells)
    for cell in made.cells:
        cell.metadata.nbgrader.locked = not marks.is_solution(cell)
    made.metadata["kernelspec"] = {
        "name": "python3",
        "language": "python",
        "display_name": "Python 3",
    }
    return made


def honest_work(course: Course, answers: dict[str, str]) -> NotebookNode:
    """What an honest student hands in."""
    reference = {
        marks.grade_id(cell): MARKER.sub("", cell.source)
        for cell in source_notebook().cells
        if marks.is_solution(cell)
    }
    made = nbformat.read(course.released_notebook(ASSIGNMENT), as_version=4)
    for cell in made.cells:
        cell.source = (reference | answers).get(marks.grade_id(cell), cell.source)
    return made
