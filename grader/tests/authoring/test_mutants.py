"""Mutants of a reference solution: what is tried, that nothing but the solved region changes, and
what is said of the tests that do not notice."""

import pytest
from nbseal.authoring.mutants import confirmed
from nbseal.authoring.mutants.command import Findings
from nbseal.authoring.mutants.confirmed import Confirmed
from nbseal.authoring.mutants.making import Cell
from nbseal.authoring.mutants.study import Study, tasks
from nbseal.errors import CourseError
from support.engine_tools import code, make_course, notebook, seen

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
    "wrong where x has one column",
    "wrong where x is float64",
    "wrong where x is itself computed",
    "wrong where x is not contiguous",
    "wrong where no gradients are recorded",
    "wrong after the first call",
    "changes x in place",
    "clears the gradient of x",
    "asks x for gradients",
    "freezes x",
    "detaches x",
    "what it returns is float32",
    "what it returns is rounded",
    "runs under no_grad",
    "switches gradients off for all that follows",
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


def test_what_a_module_and_a_list_are_left_as_is_tried():
    kinds = {"self": frozenset({"Module"}), "x": frozenset({"list", "Tensor"})}
    found = set(names(LAYER, {"Layer.forward": kinds}))
    assert found >= {"wipes the module's gradients", "freezes the module", "turns the list x round"}


def test_where_the_mode_is_known_a_slip_in_one_mode_is_not_tried():
    found = names(LAYER, {"Layer.forward": {"self": frozenset({"Module"})}})
    assert "return x - self.seen → return x - self.seen if self.training else x" in found
    assert "self.seen = x.mean() → self.seen = x" in found
    assert not any("self.seen = x.mean() if" in name for name in found)


# -- graded ----------------------------------------------------------------------------------------

SOLUTION = """def double(x):
    ### BEGIN SOLUTION
    if x > 100:
        return x + x
    return 2 * x
    ### END SOLUTION"""
TEST = """expect("three", double(3), 6, mistakes={"You added two.": 5})
### BEGIN HIDDEN TESTS
x = sample(1, seed=1)[0] + 10
expect("secret", double(x), 2 * x)
### END HIDDEN TESTS"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = seen(make_course(tmp_path_factory.mktemp("course")))
    nb = notebook(
        "from utils import *",
        code(SOLUTION, "double", solution=True),
        code(TEST, "double_test", test=True),
        code("print(double(1))", "unused", solution=True),
    )
    [task] = tasks(nb)
    with Study(course, nb, None, 1) as study:
        return list(study.grade(task, study.mutants(task), lambda: None))


def by_name(graded, name):
    return next(one for one in graded if one.mutant.name == f"double: {name}")


@pytest.mark.slow
def test_a_mutant_that_the_hidden_tests_miss_is_found(graded):
    missed = by_name(graded, "return x + x → return x - x")  # no check goes beyond 100
    assert missed.passed and missed.passed_visible


@pytest.mark.slow
def test_a_mutant_that_only_the_hidden_tests_notice_is_told_apart(graded):
    late = by_name(graded, "wrong after the first call")
    assert not late.passed and late.passed_visible


@pytest.mark.slow
def test_a_mutant_is_told_its_mistake_or_raises(graded):
    assert by_name(graded, "return 2 * x → return 2 + x").told == ("You added two.",)
    assert by_name(graded, "return 2 * x → return 2 + x").raised is False


@pytest.mark.slow
def test_the_findings_leave_out_what_the_author_has_confirmed(graded):
    name = "double: return x + x → return x - x"
    told = "double: return 2 * x → return 2 + x"
    fresh = Findings("double", graded, Confirmed())
    assert name in fresh.unnoticed and told in fresh.unconfirmed["You added two."]
    assert any(name in line for line in fresh.lines())
    known = Confirmed({name: "nobody has as much"}, {"You added two.": [told]})
    later = Findings("double", graded, known)
    assert name not in later.unnoticed and "You added two." not in later.unconfirmed
    assert not any(told in line for line in later.lines())


# -- what is kept ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_confirmed_is_kept_and_the_rest_waits(tmp_path):
    path = tmp_path / "bank" / confirmed.NAME
    known = Confirmed({'a "b" \\ → c': "no reason\n", "gone": "x"}, {"Told.": ["a → b"]})
    known.ask(['a "b" \\ → c', "new"], {"Told.": ["a → b", "c → d"]})
    confirmed.write(path, {"double": known})
    again = confirmed.read(path)["double"]
    assert again == known
    assert again.equivalent == {'a "b" \\ → c': "no reason\n", "new": "?"}
    assert again.named == {"Told.": ["a → b", "? c → d"]}
    assert again.excuses('a "b" \\ → c') and not again.excuses("new")
    assert again.confirms("Told.", "a → b") and not again.confirms("Told.", "c → d")


@pytest.mark.parametrize(
    "text", ["[a", "a = 1", "[a]\nother = 1", "[a]\nequivalent = ['x']", "[a.named]\nx = 'y'"]
)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / confirmed.NAME
    path.write_text(text)
    with pytest.raises(CourseError, match="mutants.toml"):
        confirmed.read(path)
