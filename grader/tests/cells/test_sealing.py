"""Sealing is pure syntax: what goes, what stays, and what is refused with a sentence."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbseal.cells.python import escaping_names
from nbseal.cells.sealing import SealingError, seal, uses_expect

CELL = """\
expect("small numbers", row_stats(tensor([[1., 2.]])), tensor([[0.25]]), of=second,
       mistakes={"You divided by n - 1.": tensor([[0.5]])})
### BEGIN HIDDEN TESTS
x = sample(5, 16, seed=7)
with answer_key():
    reference = nn.BatchNorm1d(8)
    fill_(reference, seed=3)
for size in (1, 2):
    with answer_key():
        wanted = reference(x[:size])
    expect(f"{size} rows", bn(x[:size]), wanted, tolerance=1e-3)
expect(label="one value", answer=raises(bn, x[:1]), expected="ValueError")
### END HIDDEN TESTS
"""

SEALED = """\
_course_expect('small numbers', row_stats(tensor([[1.0, 2.0]])))
x = _course_sample(5, 16, seed=7)
pass
for size in (1, 2):
    pass
    _course_expect(f'{size} rows', bn(x[:size]))
_course_expect(label='one value', answer=_course_raises(bn, x[:1]))
"""


def test_only_label_and_answer_stay():
    assert seal(CELL).source == SEALED


def test_it_remembers_what_is_hidden():
    assert [(site.line, site.hidden) for site in seal(CELL).sites] == [
        (1, False),
        (11, True),
        (12, True),
    ]


def test_empty_lines_at_the_top_count_as_ipython_counts_them():
    assert [site.line for site in seal("\n\n" + CELL).sites] == [1, 11, 12]


def test_magics_stay():
    assert (
        "run_line_magic('matplotlib', 'inline')"
        in seal('%matplotlib inline\nexpect("a", f(), 1)').source
    )


@pytest.mark.parametrize("module", ["utils", "checks", "checks.inputs", "nbseal.checks.inputs"])
def test_an_import_of_a_course_name_is_as_good_as_none(module):
    sealed = seal(f"from {module} import sample, first\nexpect('a', f(sample(2, seed=1)), 1)")
    kept = f"from {module} import first\n"
    assert sealed.source == f"{kept}_course_expect('a', f(_course_sample(2, seed=1)))\n"


def test_by_hand_is_read_without_running_it():
    (hand,) = seal(
        'by_hand(layer_norm, without=["layer_norm", "LayerNorm"])\nexpect("a", f(), 1)'
    ).by_hand
    assert (hand.target, hand.without) == ("layer_norm", ("layer_norm", "LayerNorm"))
    (hand,) = seal('by_hand(f, without="autograd")\nexpect("a", f(), 1)').by_hand
    assert hand.without == ("autograd",)


def test_a_course_name_inside_a_class_is_still_the_course_s():
    """Names that begin with two underscores would be mangled there."""
    sealed = seal(
        "class Probe:\n    def check(self):\n        expect('a', f(), 1)\nProbe().check()"
    ).source
    seen = []
    exec(sealed, {"_course_expect": lambda *arguments: seen.append(arguments), "f": lambda: 3})
    assert seen == [("a", 3)]


@pytest.mark.parametrize(
    "source, complaint",
    [
        ("check = expect", "used without being called"),
        ("list(map(expect, labels, answers, wanted))", "used without being called"),
        ("expect(*arguments)", "called with \\*"),
        ("expect('a', f(), 1, **options)", "called with \\*"),
        ("expect('a', f())", "without its expected"),
        ("expect('a', f(), 1, second)", "three positional"),
        ("utils.expect('a', f(), 1)", "cannot be sealed"),
        ("from utils import expect as e\ne('a', f(), 1)", "renamed"),
        ("from torch import *\nexpect('a', f(), 1)", "hides which names"),
        ("def sample(n): return n\nexpect('a', sample(2), 1)", "another meaning"),
        ("for expect in range(3): pass", "another meaning"),
        ("with answer_key():\n    r = 1\nexpect('a', f(r), 1)", "used outside"),
        ("with answer_key():\n    r = 1\ndel r", "used outside"),
        ("with answer_key(), torch.no_grad():\n    r = 1", "shares its with"),
        ("with answer_key() as key:\n    r = 1", "shares its with"),
        ("block = answer_key()\nwith block:\n    r = 1", "outside a with"),
        ("with answer_key():\n    bn.eps = 1\nexpect('a', f(bn), 1)", "changes `bn`"),
        ("with answer_key():\n    x[0] += 1\nexpect('a', f(x), 1)", "changes `x`"),
        (
            "def g():\n    with answer_key():\n        return 3\nexpect('a', f(), g())",
            "leaves its place",
        ),
        ("by_hand(f, without=names)\nexpect('a', f(), 1)", "cannot be read"),
        ("by_hand(f, without='a name')\nexpect('a', f(), 1)", "no group 'a name'"),
        ("expect('a', f(), 1", "not valid Python"),
    ],
)
def test_what_cannot_be_sealed_is_refused_with_a_sentence(source, complaint):
    with pytest.raises(SealingError, match=complaint) as error:
        seal(source)
    assert "; " in str(error.value) and str(error.value).startswith("line ")


@pytest.mark.parametrize(
    "source, sealed",
    [
        ("expect('a', f(), 1)", True),
        ("assert f() == 1", False),
        ("'expect'", False),
        ("%%bash\nexpect", False),
        ("expect_more()", False),
        ("def (", False),
    ],
)
def test_which_cells_are_sealed(source, sealed):
    assert uses_expect(source) is sealed


NAMES = st.sampled_from(["a", "b", "c"])
STATEMENTS = st.one_of(
    st.builds("{} = sample(2, seed=1)".format, NAMES),
    st.builds("with answer_key():\n    hidden_{0} = {0}".format, NAMES),
    st.builds("expect('{0}', f({0}), hidden_{1}, tolerance=SECRET)".format, NAMES, NAMES),
    st.builds("for {0} in (1, 2):\n    expect('{0}', f({0}), SECRET)".format, NAMES),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=8))
def test_nothing_of_what_is_expected_is_left(statements):
    sealed = seal("\n".join(statements)).source
    names = {node.id for node in ast.walk(ast.parse(sealed)) if isinstance(node, ast.Name)}
    assert not any(
        name.startswith("hidden_") or name in ("SECRET", "expect", "sample", "answer_key")
        for name in names
    )


def test_names_that_a_sealed_cell_would_have_to_hand_on():
    cells = [
        ("first_test", "x = 1\ny = 2", True),
        ("use", "z = x + 1", False),
        ("rebind", "y = 3\nprint(y)", False),
        ("loop", "for x in range(3): pass\nx", False),
        ("function", "def f(x): return x", False),
    ]
    assert escaping_names(cells) == [("first_test", "x", "use")]
