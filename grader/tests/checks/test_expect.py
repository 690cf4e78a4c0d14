"""expect: right answers pass, wrong ones fail with the reason and, where known, the mistake."""

import math
from enum import Enum, IntEnum

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from nbseal import checks
from nbseal.checks import (
    CheckFailed,
    NotAnAnswer,
    answer_key,
    at_least,
    at_most,
    between,
    expect,
    first,
    judge,
    loss_at_most,
    record_expectations,
    second,
    snapshot,
    where,
)
from torch import nn, tensor

numbers = st.floats(-1e3, 1e3, allow_nan=False, width=32)
matrices = st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4).map(
    torch.tensor
)


def message(*args, **options):
    with pytest.raises(CheckFailed) as failure:
        expect(*args, **options)
    return str(failure.value)


def test_a_right_answer_prints_a_tick_with_its_label(capsys):
    expect("the sum", tensor([1.0, 2.0]), tensor([1.0, 2.0]))
    assert capsys.readouterr().out == "✓ the sum\n"


@given(matrices)
def test_every_tensor_equals_itself(matrix):
    assert judge(matrix, matrix.clone()).ok


@given(matrices, st.floats(1e-6, 1e-1))
@settings(max_examples=60)
def test_an_error_is_accepted_up_to_the_tolerance_and_rejected_beyond_it(matrix, tolerance):
    scale = min(float(matrix.abs().max()), 1.0) or 1.0
    step = torch.zeros(matrix.shape, dtype=torch.float64)
    step[0, 0] = tolerance * max(abs(float(matrix[0, 0])), scale)
    wide = matrix.double()
    assert judge(wide + 0.9 * step, wide, tolerance=tolerance).ok
    assert not judge(wide + 1.1 * step, wide, tolerance=tolerance).ok


def test_the_tolerance_is_relative_so_that_tiny_gradients_are_compared_too():
    assert judge(1e-7 * tensor([1.0, 2.00001]), 1e-7 * tensor([1.0, 2.0])).ok
    assert not judge(1e-7 * tensor([1.0, 2.1]), 1e-7 * tensor([1.0, 2.0])).ok


@pytest.mark.parametrize(
    "answer, said",
    [
        (None, "is there a `return`?"),
        (tensor([1.0, 2.0, 3.0]), "shape (3,), wanted a tensor of shape (2,)"),
        (tensor([1, 2]), "dtype int64, wanted float32"),
        (tensor([1.0, math.nan]), "got nan, wanted 2 at [1]"),
        (tensor([1.0, math.inf]), "got inf, wanted 2 at [1]"),
        (3.0, "got the number 3, wanted a tensor of shape (2,)"),
        ("12", "got the text '12'"),
        (nn.Linear(2, 2), "got a Linear"),
        (torch.relu, "is it called?"),
        (nn.Linear, "the class Linear"),
        ((tensor([1.0]), tensor([2.0])), "a tuple of 2"),
        (tensor([1.0, 2.0]).to_sparse(), "sparse"),
    ],
)
def test_the_reason_says_what_was_got(answer, said):
    assert said in message("label", answer, tensor([1.0, 2.0]))


def test_the_worst_element_is_the_one_reported():
    said = message("label", tensor([[1.0, 2.5], [3.1, 4.0]]), tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert "got 2.5, wanted 2 at [0, 1] (2 of 4 values differ)" in said


def test_a_known_mistake_is_named_and_an_unknown_one_is_not():
    mistakes = {"You divided by n - 1.": tensor([1.0]), "You lost a dimension.": tensor(2 / 3)}
    assert "→ You divided by n - 1." in message(
        "variance", tensor([1.0]), tensor([2 / 3]), mistakes=mistakes
    )
    assert "→ You lost a dimension." in message(
        "variance", tensor(2 / 3), tensor([2 / 3]), mistakes=mistakes
    )
    assert "→" not in message("variance", tensor([5.0]), tensor([2 / 3]), mistakes=mistakes)


def test_of_reads_a_part_of_the_answer_where_it_is_judged():
    expect("the second", (1, tensor([2.0])), tensor([2.0]), of=second)
    assert "is there a `return`?" in message("the second", None, tensor([2.0]), of=second)
    assert "not of the form asked for" in message("the second", (1,), tensor([2.0]), of=second)


def test_numbers_and_scalar_tensors_are_interchangeable():
    expect("number for tensor", 0.5, tensor(0.5))
    expect("tensor for number", tensor(0.5), 0.5)
    expect("int for float", 2, 2.0)


def test_a_number_and_a_scalar_tensor_are_compared_in_double_precision():
    third = torch.tensor(1 / 3, dtype=torch.float64)
    assert judge(1 / 3, third, tolerance=1e-12).ok
    assert judge(third, 1 / 3, tolerance=1e-12).ok
    assert not judge(1 / 3 + 1e-9, third, tolerance=1e-12).ok
    assert judge(2**60 + 256, torch.tensor(2**60 + 256), tolerance=0).ok


def test_double_precision_answers_are_accepted_where_single_was_expected():
    expect("double", tensor([1.0, 2.0], dtype=torch.float64), tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    "answer, expected",
    [(True, 1.0), (1.0, True), (True, tensor(1.0)), (tensor([True]), tensor([1.0]))],
)
def test_booleans_are_not_numbers(answer, expected):
    assert not judge(snapshot(answer), expected).ok


@pytest.mark.parametrize(
    "answer, tolerance, right",
    [
        (19900, None, True),
        (19901, None, False),
        (19901, 1e-3, True),
        (19901.0, None, False),
        (19900.0, None, True),
        (0.1 * 199000, None, True),
        (torch.tensor(19900.0), None, True),
        (torch.tensor(19901), None, False),
        ([19901], None, False),
    ],
)
def test_whole_numbers_are_exact_unless_a_tolerance_is_given(answer, tolerance, right):
    want = [19900] if isinstance(answer, list) else 19900
    assert judge(answer, want, tolerance=tolerance).ok is right


def test_no_exception_where_one_was_expected_does_not_ask_for_a_return():
    assert "got None, wanted the text 'ValueError'" in message("a clear error", None, "ValueError")


def test_a_missing_gradient_is_not_taken_for_a_missing_return():
    known = {"No gradient arrives.": None, "One gradient is missing.": (tensor([1.0]), None)}
    said = message("the gradient", None, tensor([1.0]), mistakes=known)
    assert "got None, wanted a tensor" in said and "→ No gradient arrives." in said
    said = message("both", (tensor([1.0]), None), (tensor([1.0]), tensor([2.0])), mistakes=known)
    assert "value 2 of 2: got None, wanted a tensor" in said and "return" not in said


def test_of_names_it_is_said_which_are_missing_not_where_they_stand():
    names = ["linear.bias", "linear.weight"]
    said = message("names", ["fc.bias", "linear.weight"], names)
    assert "'linear.bias' is missing, 'fc.bias' should not be there" in said
    assert "'linear.bias' is missing" in message("names", ["linear.weight"], names)
    assert "'weight' should not be there" in message("names", ["weight"], [])
    assert "value 1 of 2" in message("names", names[::-1], names)


def test_structures():
    expect("tuple and list are the same", [1.0, tensor([2.0])], (1.0, tensor([2.0])))
    expect("criteria inside a tuple", (1.0, 0.2), (1.0, at_most(0.3)))
    assert "value 2 of 2" in message("tuple", (1.0, 3.0), (1.0, 2.0))
    assert "wanted 2 values" in message("tuple", (1.0,), (1.0, 2.0))
    assert "'bias' is missing, 'beta' should not be there" in message(
        "dict", {"beta": 1}, {"bias": 1}
    )
    assert "'a': got the number 2, wanted" not in message("dict", {"a": 2.0}, {"a": 1.0})
    assert "'a': got 2, wanted 1" in message("dict", {"a": 2.0}, {"a": 1.0})


def test_criteria():
    expect("at most", 0.5, at_most(0.5))
    expect("at least", tensor(0.5), at_least(0.5))
    expect("between", 1, between(0, 1))
    expect(
        "where",
        tensor([1.0, -1.0]),
        where("numbers of both signs", lambda t: bool((t < 0).any() and (t > 0).any())),
    )
    assert "got 0.7, wanted at most 0.5" in message("loss", 0.7, at_most(0.5))
    assert "got nan" in message("loss", math.nan, at_most(0.5))
    assert "wanted numbers of both signs" in message(
        "x", tensor([1.0]), where("numbers of both signs", lambda t: bool((t < 0).any()))
    )
    assert "could not be checked (TypeError)" in message(
        "x", "text", where("a positive number", lambda x: x > 0)
    )


def test_a_loss_of_logits_against_targets():
    targets = tensor([0, 1])
    good, bad = tensor([[5.0, 0.0], [0.0, 5.0]]), tensor([[0.0, 5.0], [5.0, 0.0]])
    expect("loss", good, loss_at_most(targets, 0.1))
    assert "the loss is" in message("loss", bad, loss_at_most(targets, 0.1))
    assert "wanted logits" in message("loss", good[0], loss_at_most(targets, 0.1))
    assert "over 1 classes" in message("loss", good[:, :1], loss_at_most(targets, 0.1))
    assert judge(good, loss_at_most(targets, 0.1, implausible=0.05)).flag is not None
    assert judge(good, loss_at_most(targets, 0.1, implausible=0.001)).flag is None
    assert not judge(torch.full((2, 2), math.nan), loss_at_most(targets, 0.1)).ok


def test_answers_are_copied_at_the_call():
    recorded = []
    x = tensor([1.0, 2.0])
    with record_expectations(recorded):
        expect("before", x, tensor([1.0, 2.0]))
    x += 1
    assert torch.equal(recorded[0].answer, tensor([1.0, 2.0])) and recorded[0].label == "before"
    expect("not recorded any more", x, tensor([2.0, 3.0]))
    assert len(recorded) == 1


def test_snapshots_are_plain():
    class Sub(torch.Tensor):
        pass

    plain = snapshot({"a": [nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(Sub)]})
    assert [type(t) for t in plain["a"]] == [torch.Tensor] * 2 and not plain["a"][0].requires_grad
    kind = Enum("kind", {"OWN": "own"}, type=str)
    assert [(type(one), one) for one in snapshot([kind.OWN, IntEnum("n", "one").one])] == [
        (str, "own"),
        (int, 1),
    ]
    for thing in (object(), {1, 2}, {(1, 2): 3}, torch.ones(2, device="meta")):
        with pytest.raises(NotAnAnswer):
            snapshot(thing)
    loop = []
    loop.append(loop)
    with pytest.raises(NotAnAnswer):
        snapshot(loop)


def test_the_notebook_shows_the_message_without_a_traceback():
    lines = CheckFailed("label\n  got 1\n  → why")._render_traceback_()
    assert lines[1:] == ["  got 1", "  → why"] and "✗ label" in lines[0]


def test_answer_key_changes_nothing_in_a_notebook():
    with answer_key():
        value = 3
    expect("value", value, 3)


def test_first_and_second():
    assert (first((1, 2)), second((1, 2))) == (1, 2)


def test_errors_while_evaluating_an_expected_value_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        checks.expect("label", 1, 1 / 0)
