"""`nbseal check` names the cell, the rule, and what to write instead - for each rule that can be
broken."""

import pytest
from nbseal.authoring.check import check_notebook
from nbseal.cells import rules
from support.engine_tools import code, make_course, notebook, seen

SOLUTION = code(
    "### BEGIN SOLUTION\ndef double(x):\n    return 2 * x\n### END SOLUTION",
    "double",
    solution=True,
)
GOOD = (
    "expect('three', double(3), 6, mistakes={'You added 2.': 5})\n"
    "### BEGIN HIDDEN TESTS\n"
    "for seed in (1, 2):\n"
    "    x = sample(2, seed=seed)[0] + 1000\n"
    "    expect(f'secret {seed}', double(x), 2 * x)\n"
    "### END HIDDEN TESTS\n"
)
SETUP = "from utils import *\nimport random"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return seen(make_course(tmp_path_factory.mktemp("course")))


def check(course, *cells):
    return check_notebook(course, notebook(SETUP, SOLUTION, *cells))


def test_a_good_notebook_breaks_no_rule(course):
    assert check(course, code(GOOD, "double_test", test=True)) == []


@pytest.mark.parametrize(
    "source, rule, problem",
    [
        ("assert double(3) == 6", "sealed", "does not use `expect`"),
        (GOOD + "e = expect", "sealed", "without being called"),
        (GOOD + "assert double(2) == 4", "assert", "patch away"),
        (GOOD + "for y in [double(1)]:\n    expect('y', y, 2)", "loop", "loops over `[double(1)]`"),
        (
            GOOD + "ys = [double(1)]\nz = ys\n[expect('y', y, 2) for y in z]",
            "loop",
            "loops over `z`",
        ),
        (
            GOOD + "if double(1):\n    expect('y', double(1), 2)",
            "condition",
            "decides by `double(1)`",
        ),
        (GOOD + "try:\n    expect('y', double(1), 2)\nexcept ValueError: pass", "condition", "try"),
        (GOOD + "expect('three', double(1), 2)", "labels", "two checks are called 'three'"),
        (
            GOOD + "expect('luck', double(random.random()), where('anything', lambda x: True))",
            "same answers",
            "'luck'",
        ),
        (
            GOOD
            + "box = []\nwith answer_key():\n    box.append(1)\nexpect('box', double(len(box)), where('anything', lambda x: True))",
            "same answers",
            "'box'",
        ),
        (
            GOOD + "expect(f'label {sample(1, seed=1)}', double(1), 2)",
            "same labels",
            "depends on the key",
        ),
        (GOOD.replace("'You added 2.': 5", "'You doubled.': 6"), "mistakes", "is accepted"),
        (
            "expect('three', double(3), 6)\n### BEGIN HIDDEN TESTS\nexpect('four', double(4), 8)\n### END HIDDEN TESTS",
            "secret",
            "changes with the key",
        ),
        (
            "x = sample(1, seed=1)[0]\nexpect('visible only', double(x), 2 * x)",
            "secret",
            "changes with the key",
        ),
        (GOOD + "expect('wrong', double(1), 3)", "reference", "wanted 3"),
        (GOOD + "import warnings\nwarnings.warn('look here')", "stderr", "look here"),
        (
            "### BEGIN HIDDEN TESTS\nx = sample(1, seed=1)[0]\nexpect('x', x, x)\n### END HIDDEN TESTS",
            "stub",
            "passes",
        ),
    ],
)
def test_each_rule(course, source, rule, problem):
    violations = check(course, code(source, "double_test", test=True))
    assert any(
        violation.rule == rule and problem in violation.problem for violation in violations
    ), violations
    assert all(violation.instead for violation in violations)


def test_a_name_that_the_notebook_does_not_import(course):
    """Sealed, the test would have it, and in the student's notebook it is not there."""
    setup = "from utils import expect, sample as draw"
    test = code(GOOD, "double_test", test=True)
    [found] = check_notebook(course, notebook(setup, SOLUTION, test))
    assert found.rule == "imported" and "`sample`" in found.problem
    assert (
        check_notebook(course, notebook("from utils import expect, sample", SOLUTION, test)) == []
    )


def test_names_handed_on(course):
    first = code(GOOD + "\nmine = 3", "first_test", test=True)
    second = code(GOOD.replace("double(3), 6", "double(mine), 6"), "second_test", test=True)
    (violation,) = check(course, first, second)
    assert (violation.cell, violation.rule) == (
        "first_test",
        "own names",
    ) and "`mine`" in violation.problem


def test_a_reference_that_is_only_just_accepted(course):
    """Under another key it would fail, and stop a class."""

    def found(wanted):
        source = GOOD.replace("double(3), 6, mistakes={'You added 2.': 5}", wanted)
        return check(course, code(source, "double_test", test=True))

    nearly = "[double(3.)], {}, of=lambda got: got[0], tolerance=0.001"
    assert found(nearly.format(6.002)) == []
    (violation,) = found(nearly.format(6.004))
    assert violation.rule == "tolerance" and "'three': the reference is 0.6" in violation.problem


def test_a_mistake_too_near_to_the_right_value(course):
    """Six tolerances are not enough."""
    source = GOOD.replace(
        "double(3), 6, mistakes={'You added 2.': 5}", "double(3.), 6., mistakes={'Nearly.': 6.0036}"
    )
    source = source.replace("sample(2, seed=seed)[0] + 1000", "float(sample(2, seed=seed)[0]) + 10")
    violations = check(course, code(source, "double_test", test=True))
    assert [violation.rule for violation in violations] == [
        "mistakes"
    ] and "6.0 tolerances" in violations[0].problem


def test_what_students_made_is_followed_through_assignments():
    source = "a = double(1)\nb, c = a, 2\nd = c\nfor x in (1, 2): expect('x', double(x), 2)\nfor y in b: expect('y', y, 2)"
    (violation,) = rules.check_syntax("t", source, {"double"})
    assert "`b`" in violation.problem


@pytest.mark.slow
@pytest.mark.parametrize("apart, rules_broken", [(False, {"by hand"}), (True, set())])
def test_a_ready_made_layer_that_is_taken_for_the_student_s(course, apart, rules_broken):
    """Graded here, what a test wants is computed elsewhere; in nbgrader's engine, beside it."""
    ready = "called(torch.nn.LayerNorm(2), torch.ones(1, 2))"
    test = code(
        "import torch\n"
        "by_hand(double, without='normalisation')\n"
        "def called(layer, x):\n    return layer(x).tolist()\n"
        + (f"with answer_key():\n    zeros = {ready}\n" if apart else "")
        + GOOD
        + f"expect('zeros', [[double(0.0)] * 2], {'zeros' if apart else ready})\n"
        "expect('last', double(1), 2)\n",
        "double_test",
        test=True,
    )
    assert {violation.rule for violation in check(course, test)} == rules_broken


def test_a_reference_that_is_not_written_by_hand(course):
    ready = "def double(x):\n    torch.nn.LayerNorm(2)(torch.ones(1, 2))\n    return 2 * x"
    source = f"### BEGIN SOLUTION\nimport torch\n{ready}\n### END SOLUTION"
    test = code("by_hand(double, without='normalisation')\n" + GOOD, "double_test", test=True)
    found = check_notebook(course, notebook(SETUP, code(source, "double", solution=True), test))
    assert {violation.rule for violation in found} == {"reference", "by hand"}
    assert all(
        "LayerNorm" in violation.problem for violation in found if violation.rule != "reference"
    )
