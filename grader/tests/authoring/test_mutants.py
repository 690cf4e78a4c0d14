"""Mutants of a reference solution: what is tried, that nothing but the solved region changes, and
what is said of the probes that do not notice."""

from pathlib import Path

import nbformat
import pytest
from nbseal.authoring.mutants.command import lines
from nbseal.authoring.mutants.making import Cell
from nbseal.authoring.mutants.study import KEY, _is_true, study
from nbseal.authoring.task_files import tasks_of
from nbseal.checks import declared
from nbseal.course import Course
from support.engine_tools import code, notebook

SCALE = '''def helper(x):
    return x - 1


def scale(x, factor, eps=1.0):
    """Twice."""
    ### BEGIN SOLUTION
    total = (x + factor).mean(dim=-1, keepdim=True)
    return factor * x / (total + eps)
    ### END SOLUTION
'''


def mutants(source, kinds=None):
    return Cell("scale", source).mutants(kinds or {})


def names(source, kinds=None):
    return [mutant.name.split(": ", 1)[1] for mutant in mutants(source, kinds)]


@pytest.mark.parametrize(
    "body, slip",
    [
        ("return x + y", "return x + y → return x - y"),
        ("return x - y", "return x - y → return y - x"),
        ("return x + y", "return x + y → return x"),
        ("return x + y", "return x + y → return x.add_(y)"),
        ("return x + 1", "return x + 1 → return x + 2"),
        ("return x[1:]", "return x[1:] → return x[:]"),
        ("return x.sum(dim=-1)", "return x.sum(dim=-1) → return x.sum()"),
        ("return x.sum(dim=-1)", "return x.sum(dim=-1) → return x.sum(dim=0)"),
        ("return x.sum()", "return x.sum() → return x.mean()"),
        ("return x.sum()", "return x.sum() → return x"),
        ("return f(x, y)", "return f(x, y) → return f(y, x)"),
        ("return x if y is None else 0", "return x if y is None else 0 → return x if not y else 0"),
        ("return x < 0 and y", "return x < 0 and y → return x <= 0 and y"),
        ("return x < 0 and y", "return x < 0 and y → return y"),
        ("with f():\n        x += 1\n    return x", "with f():; x += 1 → x += 1"),
        ("x.append(y)\n    x.sort()\n    return x", "x.append(y) → (nothing)"),
        ("x.append(y)\n    x.sort()\n    return x", "x.sort() before x.append(y)"),
        ("for i in x:\n        y += i\n    return y", "(nothing) → break"),
        (
            "return f([y() for _ in x])",
            "return f([y() for _ in x]) → return f([y()] * len(list(x)))",
        ),
        ("return x, y", "return (x, y) → return (y, x)"),
    ],
)
def test_slips_of_the_hand_are_tried(body, slip):
    source = f"def scale(x, y):\n    ### BEGIN SOLUTION\n    {body}\n    ### END SOLUTION\n"
    assert slip in names(source)


@pytest.mark.parametrize(
    "slip",
    [
        "self.b = nn.Linear(d, d) → self.b = self.a",
        "return self.b(self.a(x)) → return self.b(self.b(x))",
    ],
)
def test_modules_are_shared_and_swapped(slip):
    source = (
        "class Two(nn.Module):\n    def __init__(self, d):\n        ### BEGIN SOLUTION\n"
        "        self.a = nn.Linear(d, d)\n        self.b = nn.Linear(d, d)\n"
        "        ### END SOLUTION\n    def forward(self, x):\n        ### BEGIN SOLUTION\n"
        "        return self.b(self.a(x))\n        ### END SOLUTION\n"
    )
    assert slip in names(source)


def test_nothing_but_the_solved_region_changes_and_no_two_mutants_are_the_same():
    found = mutants(SCALE, {"scale": {"x": frozenset({"Tensor", "float"})}})
    assert len(found) > 30
    assert all("def helper(x):\n    return x - 1\n" in mutant.source for mutant in found)
    assert all("eps=1.0" in mutant.source for mutant in found)
    assert len({mutant.source for mutant in found}) == len({m.name for m in found}) == len(found)
    for mutant in found:
        compile(mutant.source, "<mutant>", "exec")


def test_what_cannot_make_a_difference_or_cannot_run_is_not_tried():
    source = (
        "def scale(x, y):\n    ### BEGIN SOLUTION\n    z = (x - y).square()\n"
        "    return z.transpose(1, 2)\n"
        "    ### END SOLUTION\n"
    )
    assert not any("(y - x)" in name for name in names(source))  # a square has no sign
    assert not any("transpose(2, 1)" in name for name in names(source))
    assert not any("→ (nothing)" in name for name in names(source))  # z would not be known


BRANCHES = {
    "wrong where x has more than two dimensions",
    "wrong where x has one row",
    "wrong after the first call",
    "detaches x",
    "what it returns is detached",
    "runs under no_grad",
}


def test_branches_are_tried_where_a_probe_found_tensors():
    tensor = frozenset({"Tensor", "float"})
    assert set(names(SCALE, {"scale": {"x": tensor, "return": tensor}})) >= BRANCHES
    assert {"wrong after the first call"} == BRANCHES & set(names(SCALE))


def test_what_an_unnoticed_mutant_hides_names_it():
    tensor = frozenset({"Tensor", "float"})
    found = {m.name: m for m in mutants(SCALE, {"scale": {"x": tensor, "return": tensor}})}
    assert found["scale: detaches x"].beside == "scale: runs under no_grad"
    assert found["scale: detaches x"].beside in found


LAYER = """class Layer:
    def forward(self, x):
        ### BEGIN SOLUTION
        if self.training:
            self.seen = x.mean()
        return x - self.seen
        ### END SOLUTION
"""


def test_where_the_mode_is_known_a_slip_in_one_mode_is_not_tried():
    found = names(LAYER, {"Layer.forward": {"self": frozenset({"Module"})}})
    assert "return x - self.seen → return x - self.seen if self.training else x" in found
    assert "self.seen = x.mean() → self.seen = x" in found
    assert not any("self.seen = x.mean() if" in name for name in found)


# -- asked -----------------------------------------------------------------------------------------

SOLUTION = """def double(n):
    ### BEGIN SOLUTION
    if n > 5000:
        return n + n
    return 2 * n if n > 1 else n * 2
    ### END SOLUTION"""
TASK_FILE = """task = Task("double")
f = task.function()
f.look("three", 3)
f.case("a drawn number", lambda: (int(sample_ids(900, 1, seed=1)[0]),))

# %% mistakes
mistake("You added three.", returns="n + 3")
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return made(tmp_path_factory.mktemp("course"), SOLUTION, TASK_FILE)


def made(root: Path, solution: str, task_file: str):
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    for folder in ("source/ps1", "tasks/ps1"):
        (root / folder).mkdir(parents=True)
    nb = notebook(
        "from nbseal.checks import *",
        code(solution, "double", solution=True),
        code('check("double")', "double_test", test=True),
    )
    nbformat.write(nb, root / "source/ps1/ps1.ipynb")
    (root / "tasks/ps1/double.py").write_text(task_file)
    [task] = tasks_of(Course.at(root), "ps1")
    return task


@pytest.fixture(scope="module")
def found(task):
    return study(task)


def test_a_mutant_that_no_probe_notices_is_listed(found):
    assert "double: return n + n → return n - n" in found.unnoticed  # nothing asked is above 5000
    assert "double: wrong after the first call" not in found.unnoticed


@pytest.mark.parametrize("body, true", [("3 + n", True), ("n + 3 if n < 4 else 0", False)])
def test_a_sentence_told_on_visible_answers_is_held_against_drawn_ones(task, body, true):
    want = declared.wanted(task.task, task.reference, KEY, True, "hidden")
    names = task.solved.with_cell(f"def double(n):\n    return {body}", "a mutant")
    assert _is_true(task, names, "You added three.", want) is true


def test_so_it_is_where_the_answer_has_many_numbers(tmp_path):
    """Of which mistakes are known by three."""
    many = SOLUTION.replace("return ", "return np.arange(9) + ")
    one = made(
        tmp_path, f"import numpy as np\n{many}", TASK_FILE.replace('"n + 3"', '"np.full(9, n)"')
    )
    want = declared.wanted(one.task, one.reference, KEY, True, "hidden")
    names = one.solved.with_cell(
        "import numpy as np\ndef double(n): return n + np.zeros(9, int)", "a"
    )
    assert _is_true(one, names, "You added three.", want)


def test_what_is_printed_names_each_list(found):
    said = "\n".join(lines(found))
    assert said.startswith("[bold]double[/]: ") and "no probe notices" in said
