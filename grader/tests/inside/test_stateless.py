"""Which checks can be seen to keep nothing of an answer."""

import collections
import math
import operator
import random

import numpy as np
import pytest
import torch
from nbseal.checks import at_most, between, first, loss_at_most, where
from nbseal.checks.expecting import Expectation
from nbseal.inside.stateless import keeps_nothing

LIMIT = 3
KEPT: list = []
ONES, ARRAY, NUMBERS = torch.ones(2), np.ones(2), iter([1, 2])
NETWORK = torch.nn.Linear(2, 2)


class Vocabulary(dict):
    def __missing__(self, word):
        return self.setdefault(word, len(self))


class Names(set):
    def __contains__(self, name):
        self.add(name)
        return True


WORDS: dict = collections.defaultdict(int, the=2)
VOCABULARY, NAMES = Vocabulary(), Names()


def rounded(value):
    return round(float(value), 2)


def calls_itself(value):
    return value if not isinstance(value, list) else calls_itself(value[0])


def with_words(words):
    return lambda answer: {*answer} <= words


def counted():
    count = 0

    def is_first(answer):
        nonlocal count
        count += 1
        return count == 1

    return is_first


def checked(expected, of=None, mistakes=None):
    return Expectation("label", None, expected, of, None, mistakes or {})


@pytest.mark.parametrize(
    "expected, options",
    [
        (2, {}),
        ((torch.ones(2), {"a": [1.5, "b", None]}), {}),
        (np.ones(2), {"mistakes": {"Half of it.": np.ones(2) / 2}}),
        (between(1, 2), {"mistakes": {"Too much.": at_most(0)}}),
        ((1, loss_at_most(torch.tensor([0, 1]), 1.0)), {}),
        (where("wanted", lambda answer: answer.shape == (2, 2) and answer[0, 0] < LIMIT), {}),
        (where("wanted", lambda answer: max(abs(one - 1) for one in answer) > 0.05), {}),
        (
            where(
                "wanted", lambda answer, words=frozenset("ab"): [w for w in answer if w in words]
            ),
            {},
        ),
        (where("wanted", lambda answer: rounded(answer) == math.inf), {}),
        (where("wanted", lambda answer: getattr(answer, "ndim", 0) > math.floor(0.5)), {}),
        (where("wanted", with_words({"own", "all"})), {}),
        (where("wanted", calls_itself), {}),
        (3, {"of": first}),
        (3, {"of": len}),
        (3, {"of": operator.attrgetter("shape")}),
        (3, {"of": lambda both: both[0][:, 1]}),
    ],
)
def test_keeps_nothing(expected, options):
    assert keeps_nothing(checked(expected, **options))


@pytest.mark.parametrize(
    "function",
    [
        lambda answer: KEPT.append(answer) or True,
        lambda answer, kept=KEPT: kept.append(answer) or True,
        lambda answer, kept=ONES: bool(kept.add_(1).sum() < 4),
        lambda answer: all(WORDS[word] == n for word, n in answer.items()),
        lambda answer: [VOCABULARY[word] for word in answer] == [0, 1],
        lambda answer: answer in NAMES,
        lambda answer, kept=ONES: kept.register_hook(print),
        lambda answer, kept=ARRAY: np.cumsum(answer, out=kept),
        lambda answer, kept=ARRAY: kept.cumsum(out=kept) is kept,
        lambda answer, kept=ARRAY: kept.fill(answer) is None,
        lambda answer, kept=KEPT: getattr(kept, "append")(answer) is None,  # noqa: B009
        lambda answer, kept=KEPT, name="append": getattr(kept, name)(answer) is None,
        lambda answer, kept=collections.Counter(): kept.subtract(answer) is None,
        lambda answer, kept=ONES: operator.iadd(kept, 1) is kept,
        lambda answer: NETWORK.load_state_dict(answer) and True,
        lambda answer: setattr(NETWORK, "answer", answer) is None,
        lambda answer, ones=NUMBERS: next(ones) == 1,
        lambda answer: random.random() < 2,
        lambda answer: no_such_name(answer),  # noqa: F821
        counted(),
        print,
        torch.manual_seed,
        type("Callable", (), {"__call__": lambda self, answer: True})(),
    ],
)
def test_may_keep_something(function):
    assert not keeps_nothing(checked(where("wanted", function)))
    assert not keeps_nothing(checked(3, of=function))
    assert not keeps_nothing(checked(3, mistakes={"A mistake.": where("", function)}))
    assert not keeps_nothing(checked((1, {"part": where("wanted", function)})))


def test_statements_that_keep_something():
    def global_name(answer):
        global LIMIT
        LIMIT = answer

    def attribute(answer):
        answer.seen = True

    def item(answer):
        answer[0] = 1

    def in_place(answer, kept=ONES):
        kept += answer
        return kept

    def imports(answer):
        import json

        return json

    def inside(answer):
        def more(value):
            value.seen = True

        return more(answer)

    for function in (global_name, attribute, item, in_place, imports, inside):
        assert not keeps_nothing(checked(where("wanted", function))), function.__name__


def test_a_name_without_a_value_yet():
    def make():
        def predicate(answer):
            return later < answer

        check = keeps_nothing(checked(where("wanted", predicate)))
        later = 1
        return check, predicate(later)

    assert make() == (False, False)
