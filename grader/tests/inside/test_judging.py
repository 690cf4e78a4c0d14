"""What is said of a wrong answer: as Python where it is short, and what a criterion compared."""

import math

import pytest
import torch
from nbseal import checks, packing
from nbseal.checks.expecting import Expectation
from nbseal.inside.judging import judge_one
from nbseal.inside.spelling import spelled
from nbseal.records import NotAnswer


def written(value):
    outline, blob = packing.pack(value)
    return spelled(packing.unpack(outline, blob), outline, blob)


def judged(value, expected, of=None):
    outline, blob = packing.pack(value)
    return judge_one(Expectation("it", None, expected, of, None, {}), ["it", outline], blob)


def test_an_answer_is_spelled_as_a_test_would_write_it():
    assert (
        written(torch.tensor([[1.0, 2.5], [-0.0, 1 / 3]])) == "tensor([[1., 2.5], [0., 0.33333]])"
    )
    mixed = {"weight": torch.tensor([1, 2]), "b": (True,)}
    assert written(mixed) == "{'weight': tensor([1, 2]), 'b': (True,)}"
    numbers = [0.1 + 0.2, float("nan"), None, "own"]
    assert written(numbers) == "[0.3, float(\"nan\"), None, 'own']"
    assert written(1 + 2j) == "(1+2j)"


def test_last_digits_make_no_difference_and_others_do():
    one, same, other = (written(torch.tensor([1.0 + part])) for part in (0, 1e-6, 1e-2))
    assert one == same != other


def test_what_cannot_be_written_out_is_told_apart_all_the_same():
    large = [written(torch.full((1000,), value)) for value in (1.0, 1.0, 2.0)]
    assert large[0] == large[1] != large[2] and large[0].startswith("#")
    assert written(NotAnswer("a function")).startswith("#")
    assert written("x" * 5000).startswith("#") and written(list(range(5000))).startswith("#")
    # no numbers, and as many brackets as memory does not hold
    for shape in ((2**40, 0), (0, 2**40), (1,) * 500):
        assert written(torch.zeros(shape)).startswith("#")


def test_of_a_part_that_a_check_looks_at_the_part_is_said():
    pair = (torch.tensor([1.0]), torch.tensor([2.0]))
    found = judged(pair, torch.tensor([3.0]), of=checks.second)
    assert not found["ok"] and found["answer"] == "tensor([2.])"
    assert judged(3, torch.tensor([3.0]), of=checks.first)["answer"] == "3"
    assert "answer" not in judged(pair, torch.tensor([2.0]), of=checks.second)


@pytest.mark.parametrize("answer, ok", [(0.25, True), (2.5, False)])
def test_what_a_criterion_compares_is_said_where_it_holds_and_where_not(answer, ok):
    found = judged(answer, checks.at_most(1.0))
    assert found["ok"] is ok and found["number"] == answer


def test_a_loss_is_said_and_none_of_what_has_none():
    logits, targets = torch.tensor([[2.0, 0.0]]), torch.tensor([0])
    criterion = checks.loss_at_most(targets, 0.1)
    assert judged(logits, criterion)["number"] == pytest.approx(math.log(1 + math.exp(-2)))
    assert "number" not in judged(torch.zeros(3), criterion)
    assert "number" not in judged(torch.tensor([[math.nan, 0.0]]), criterion)
