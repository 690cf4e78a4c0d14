"""The answer key: made by the reference, and not to be shaken by what an answer does to it."""

import os
import signal
import time

import pytest
from nbseal import checks, packing
from nbseal.cells.sealing import key_of
from nbseal.engine.answer_key import AnswerKey, AnswerKeyError
from nbseal.records import NotAnswer, PackedAnswer, ReferenceCell, TestRecord
from support.engine_tools import make_course, seen

TEST = """\
expect("visible", double(3), 6, mistakes={"You added 2.": 5})
### BEGIN HIDDEN TESTS
x = sample(2, seed=1)
for i in (0, 1):
    expect(f"number {i}", double(x[i]), 2 * x[i])
expect(
    "a condition",
    double(1), where("what no judge survives", hostile))
expect("the last", double(2), 4)
### END HIDDEN TESTS
"""
HOSTILE = """\
from utils import *
import ctypes, time
def hostile(answer):
    if answer == "hang":
        time.sleep(1000)
    if answer == "crash":
        ctypes.string_at(0)
    if answer == "eat":
        return bytearray(1 << 40)
    if answer == "raise":
        raise SystemExit
    return answer == 2
"""
CELLS = [
    ReferenceCell(HOSTILE),
    ReferenceCell("def double(x): return 2 * x"),
    ReferenceCell(TEST, "test", shown=(1,)),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def key(course):
    key = AnswerKey(seen(course), CELLS, "secret", check_seconds=1.0)
    key.run()
    yield key
    key.close()


def record(*values, labels=("visible", "number 0", "number 1", "a condition", "the last")):
    return TestRecord(
        "test",
        "completed",
        tuple(PackedAnswer(label, *packing.pack(value)) for label, value in zip(labels, values)),
    )


def judged(key, *values, **options):
    return key.judge([record(*values, **options)])["test"]


def right(course, secret="secret"):
    """What a right solution answers: the key's own numbers, computed here a second time."""
    before = checks.current_key()
    checks.set_key(key_of(secret, "test"))
    checks.draw_with("python")
    try:
        x = checks.sample(2, seed=1)
    finally:
        checks.set_key(before)
        checks.draw_with(None)
    return [6, 2 * x[0], 2 * x[1], 2, 4]


def test_labels_and_what_is_hidden(key):
    assert [(check.label, check.hidden) for check in key.checks["test"]] == [
        ("visible", False),
        ("number 0", True),
        ("number 1", True),
        ("a condition", True),
        ("the last", True),
    ]


def test_right_answers_are_accepted(key, course):
    assert all(check.ok for check in judged(key, *right(course)))


def test_answers_under_another_key_are_not(key, course):
    assert [check.ok for check in judged(key, *right(course, "another"))] == [
        True,
        False,
        False,
        True,
        True,
    ]


def test_a_mistake_is_named(key, course):
    first, *_ = judged(key, 5, *right(course)[1:])
    assert (first.ok, first.reason, first.mistake) == (False, "got 5, wanted 6", "You added 2.")


@pytest.mark.parametrize("harm", ["hang", "crash", "eat", "raise"])
def test_an_answer_that_harms_the_judge_fails_its_check_and_no_other(key, course, harm):
    answers = right(course)
    answers[3] = harm
    assert [check.ok for check in judged(key, *answers)] == [True, True, True, False, True]
    # and the next submission is judged as ever
    assert all(check.ok for check in judged(key, *right(course)))


@pytest.mark.parametrize(
    "harm",
    [
        PackedAnswer("visible", {"pickle": 1}),
        PackedAnswer("visible", {"tensor": 0}, b"garbage"),
        PackedAnswer("visible", [[]]),
        PackedAnswer("visible", *packing.pack(NotAnswer("a Linear"))),
    ],
)
def test_made_up_answers_fail_their_check(key, course, harm):
    rest = record(*right(course)).answers[1:]
    first, *others = key.judge([TestRecord("test", "completed", (harm, *rest))])["test"]
    assert not first.ok and first.reason and all(check.ok for check in others)


def test_labels_in_another_order_reach_nothing(key, course):
    found = judged(
        key, *right(course), labels=("number 0", "visible", "number 1", "a condition", "the last")
    )
    assert [check.reached for check in found] == [False, False, True, True, True] and not found[
        0
    ].ok


def test_missing_and_surplus_answers(key, course):
    assert [check.ok for check in judged(key, *right(course)[:2])] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert (
        len(
            judged(
                key,
                *right(course),
                7,
                labels=(*("visible", "number 0", "number 1", "a condition", "the last"), "more"),
            )
        )
        == 5
    )


def test_a_test_leaves_nothing_behind_in_the_reference_run(course):
    cells = [
        *CELLS,
        ReferenceCell(
            "import checks\nassert 'x' not in dir() and checks.current_key() == 'notebook'"
        ),
    ]
    key = AnswerKey(seen(course), cells, "secret")
    key.run()
    key.close()


@pytest.mark.parametrize(
    "cells, complaint",
    [
        ([ReferenceCell("1 / 0")], "code cell 1: ZeroDivisionError"),
        (
            [ReferenceCell("from utils import *"), ReferenceCell("expect('a', 1, 2)", "t")],
            "'t': CheckFailed: a\n  got 1, wanted 2",
        ),
        (
            [ReferenceCell("from utils import *"), ReferenceCell("expect('a', object(), 2)", "t")],
            "'t': CheckFailed: a\n  got an object",
        ),
    ],
)
def test_a_reference_that_fails_is_named(course, cells, complaint):
    key = AnswerKey(seen(course), cells, "secret")
    with pytest.raises(AnswerKeyError, match=complaint):
        key.run()
    key.close()


def test_all_judging_of_a_submission_has_one_bound(course, key):
    """What was compared in time counts, and what comes after is said to be late."""
    slow = "\n".join(
        f"expect('{n}', double(1), where('slow', lambda answer: time.sleep(answer) or True))"
        for n in range(5)
    )
    cells = [
        ReferenceCell("from utils import *\nimport time\ndef double(x): return 0"),
        ReferenceCell(slow, "test", shown=(1, 2, 3, 4, 5)),
    ]
    key = AnswerKey(seen(course), cells, "secret", judge_seconds=1.5)
    key.run()
    began = time.monotonic()
    found = judged(key, 0.1, 0.1, 0.1, 30, 0.1, labels="01234")
    assert [check.ok for check in found] == [True, True, True, False, False]
    assert "in time" in found[4].reason and time.monotonic() - began < 5
    key.close()


@pytest.fixture
def counting(course):
    """A key whose predicate keeps what it has seen: one submission is right, a second would be
    wrong if it found what the first has left."""
    source = """\
def is_first(answer):
    seen.append(answer)
    return len(seen) < 3
expect("before", double(3), 6)
expect("counted", double(1), where("the reference's, or the first after it", is_first))
expect("after", double(2), 4)
"""
    cells = [
        ReferenceCell("from utils import *\nseen = []\ndef double(x): return 2 * x"),
        ReferenceCell(source, "test"),
    ]
    key = AnswerKey(seen(course), cells, "secret")
    key.run()
    yield key
    key.close()


def test_what_a_predicate_keeps_is_gone_with_its_submission(counting):
    labels = ("before", "counted", "after")
    assert [
        [check.ok for check in judged(counting, 6, 2, 4, labels=labels)] for _ in range(4)
    ] == 4 * [3 * [True]]


def test_a_killed_process_is_said(course):
    key = AnswerKey(seen(course), CELLS, "secret")
    key.run()
    os.kill(key._process.pid, signal.SIGKILL)
    with pytest.raises(AnswerKeyError, match="does not answer"):
        judged(key, 6)
