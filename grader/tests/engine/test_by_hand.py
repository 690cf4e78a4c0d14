"""By-hand tasks, graded: one sentence in a notebook and in feedback."""

import pytest
from nbseal.checks import CheckFailed
from nbseal.engine.engine import Engine
from nbseal.records import Limits, Work
from support.by_hand_cells import START, Solution
from support.engine_tools import code, error_of, executed, notebook
from support.one_engine import limited

SETUP = f"{START}\nfrom checks import by_hand, expect, sample"
RIGHT = "def mine(x): return x - x.mean(-1, keepdim=True)"
TEST = (
    "by_hand(mine, without='normalisation')\n"
    "expect('it centres', mine(sample(2, 3, seed=1)).sum(), 0.0)"
)
HIDDEN = f"### BEGIN HIDDEN TESTS\n{TEST}\n### END HIDDEN TESTS"
SENTENCE = (
    "mine is to be written by hand here, and it calls torch's ready-made layer_norm: "
    "use sums, means and products of your own"
)


def handed_in(solution: str):
    return notebook(
        SETUP, solution, code(TEST, "seen_test", test=True), code(HIDDEN, "hidden_test", test=True)
    )


@pytest.fixture(scope="module")
def engine(shared_engine):
    source = handed_in(RIGHT)
    with limited(shared_engine, Limits(cell_seconds=60)) as engine:
        engine.prepare(source, source, name="n")
        yield engine


def graded(engine: Engine, solution: str):
    work = Work("ada", "n", handed_in(solution))
    return engine.submit(work).result(timeout=300)


def test_what_is_written_by_hand_passes_and_nobody_is_asked(engine):
    result = graded(engine, RIGHT)
    assert [verdict.passed for verdict in result.verdicts] == [True, True]
    assert result.flags == ()


@pytest.mark.parametrize(
    "solution",
    [
        "def mine(x): return F.layer_norm(x, (3,))",
        "from functools import partial\nmine = partial(F.layer_norm, normalized_shape=(3,))",
        "ready = [F.layer_norm]\ndef other(x): return ready[0](x, (3,))\nmine = other",
    ],
)
def test_the_sentence_is_the_same_in_a_notebook_and_when_graded(engine, solution):
    result = graded(engine, solution)
    cells = executed(handed_in(solution), result).cells
    assert [verdict.passed for verdict in result.verdicts] == [False, False]
    for cell in cells[-2:]:  # also where the test is hidden
        assert SENTENCE in error_of(cell).evalue
    with pytest.raises(CheckFailed, match=SENTENCE.replace("'", ".")):
        Solution("it", (solution,)).judged()


def test_a_watch_that_was_taken_off_fails_the_test(engine):
    off = f"import sys\n{RIGHT.replace('return', 'return sys.setprofile(None) or')}"
    result = graded(engine, off)
    assert [verdict.passed for verdict in result.verdicts] == [False, False]
    assert (
        "the watch over ready-made operations was taken off" in result.verdicts[0].checks[0].reason
    )


def test_what_reaches_past_the_watch_is_flagged(engine):
    result = graded(engine, f"import gc\n{RIGHT}")
    assert [verdict.passed for verdict in result.verdicts] == [True, True]
    assert "whether this is written by hand is for you to decide: `import gc`" in result.flags[0]
