"""by_hand: a ready-made operation is seen however it is reached, and honest work is let pass."""

import re
import subprocess
import sys

import pytest
from nbseal import checks
from nbseal.checks import CheckFailed, Finding, by_hand, is_forbidden
from nbseal.checks.operations import canonical
from support.by_hand_cells import START, Solution, load, watched

EVASIONS, RIGHT = load("evasions"), load("right")
MINE = "def mine(x): return F.layer_norm(x, (3,))"
HONEST = "def mine(x): return x - x.mean(-1, keepdim=True)"


def named(solutions: list[Solution]):
    return pytest.mark.parametrize("solution", solutions, ids=[one.name for one in solutions])


def test_there_are_enough_of_both():
    assert len(EVASIONS) >= 100 and len(RIGHT) >= 55


@named(EVASIONS)
def test_no_evasion_passes_unflagged(solution):
    kinds = {finding.kind for finding in solution.run()}
    if solution.fate == "flagged":
        assert not kinds & {"called", "off"}
        assert "looked" in kinds or solution.doubts()
    else:
        assert solution.fate in kinds


@named([one for one in EVASIONS if one.fate != "flagged"])
def test_it_loses_the_points_in_a_notebook_too(solution):
    with pytest.raises(CheckFailed, match="mine is to be written by hand here, and"):
        solution.judged()


@named(RIGHT)
def test_what_is_written_by_hand_is_neither_refused_nor_flagged(solution):
    assert solution.run() == []
    assert solution.doubts() == []


@pytest.mark.parametrize(
    "test",
    [
        "F.layer_norm(X, (3,))",
        "reference = F.layer_norm(X, (3,))\nmine(X)",
        "expect('same', mine(X).shape, F.layer_norm(X, (3,)).shape)",
        "expect('same', mine(X).shape, nn.LayerNorm(3)(X).shape)",
        "raises(lambda: F.layer_norm(X, (3,)))",
        "[F.layer_norm(x, (3,)) for x in X]",
        "with answer_key():\n    ready = nn.LayerNorm(3)\n    ready(X)\nmine(X), ready(X)",
        "with answer_key():\n    ready = nn.LayerNorm(3)\nready.forward(X)",
        "def reference(x): return F.layer_norm(x, (3,))\nreference(mine(X))",
        "mine(F.layer_norm(X, (3,)))",
    ],
)
def test_what_the_test_cell_spells_itself_does_not_count(test):
    assert watched((START, HONEST), f"by_hand(mine, without='normalisation')\n{test}") == []


@pytest.mark.parametrize(
    "test",
    [
        "(mine(X.requires_grad_()) ** 2).sum().backward()",
        "x = X.clone().requires_grad_()\ny = mine(x)\ny.backward(torch.ones_like(y))",
        "x = X.clone().requires_grad_()\ntorch.autograd.grad(mine(x).sum(), x)",
        "torch.func.jacrev(mine)(X)",
    ],
)
def test_the_test_cell_may_ask_for_the_gradient_of_what_is_written_by_hand(test):
    assert watched((START, HONEST), f"by_hand(mine, without='autograd')\n{test}") == []


@pytest.mark.parametrize(
    "call", ["mine(X)", "raises(mine, X)", "[mine(x) for x in X]", "(mine)(X)"]
)
def test_the_same_line_counts_where_it_calls_the_students(call):
    (found,) = watched((START, MINE), f"by_hand(mine, without='normalisation')\n{call}")
    assert (found.kind, found.target, found.library.split(".")[0]) == ("called", "mine", "torch")


def test_the_target_is_called_what_the_test_cell_calls_it():
    cells = (START, "def other(x): return F.layer_norm(x, (3,))\nmine = other")
    (found,) = watched(cells, "by_hand(mine, without='normalisation')\nmine(X)")
    assert found.target == "mine"


def test_of_two_targets_the_one_at_work_is_named():
    cells = (START, HONEST, "def second(x): return F.normalize(x)")
    test = "by_hand(mine, without='normalisation')\nby_hand(second, without='normalisation')\n"
    (found,) = watched(cells, f"{test}mine(X)\nsecond(X)")
    assert found.target == "second" and found.what == "normalize"


def test_names_go_on_working():
    for without in (["layer_norm"], ["LayerNorm"], ["softmax", "native_layer_norm"]):
        assert watched((START, MINE), f"by_hand(mine, without={without})\nmine(X)")
    assert watched((START, MINE), "by_hand(mine, without=['softmax'])\nmine(X)") == []


def test_a_function_of_the_course_can_be_named():
    course = "from nbseal.checks import first\ndef mine(): return first([1])"
    (found,) = watched((START, course), "by_hand(mine, without=['first'])\nmine()")
    assert "it calls the course's ready-made first" in found.sentence()


def test_the_sentence():
    with pytest.raises(CheckFailed) as failed:
        Solution("plain", (MINE,)).judged()
    assert str(failed.value) == (
        "it runs\n  mine is to be written by hand here, and it calls torch's ready-made "
        "layer_norm: use sums, means and products of your own"
    )


def test_a_watch_that_was_taken_off_says_so():
    off = "import sys\ndef mine(x):\n    sys.setprofile(None)\n    return x"
    with pytest.raises(CheckFailed, match="watch over ready-made operations was taken off"):
        Solution("off", (off,)).judged()


def test_the_watch_ends_with_the_cell_and_leaves_nothing_behind():
    before = sys.getprofile()
    watched((START, MINE), "by_hand(mine, without='normalisation')\nmine(X)")
    assert sys.getprofile() is before and checks.by_hand_findings() == []
    watched((START, MINE), "mine(X)")
    assert checks.by_hand_findings() == []


def test_another_profiler_is_put_back():
    def other(frame, event, arg):
        return None

    sys.setprofile(other)
    try:
        watched((START, HONEST), "by_hand(mine, without='normalisation')\nmine(X)")
        assert sys.getprofile() is other
    finally:
        sys.setprofile(None)


def test_what_is_no_function_is_named():
    with pytest.raises(CheckFailed, match="run the cell that defines it"):
        by_hand(None, without="normalisation")


def test_it_works_without_torch():
    script = """if True:
        import sys
        from nbseal import checks
        names = {"__name__": "__main__", "by_hand": checks.by_hand}
        cell = "from scipy.stats import zscore\\ndef mine(x): return zscore(x)"
        exec(compile(cell, "one", "exec"), names)
        test = "by_hand(mine, without='normalisation')\\nmine([1.0, 2.0])"
        exec(compile(test, "two", "exec"), names)
        print([found.what for found in checks.by_hand_findings()], "torch" in sys.modules)
    """
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "['zscore'] False"


def test_one_spelling_for_an_operation():
    names = ["layer_norm", "LayerNorm", "native_layer_norm", "_layer_norm", "layer_norm_"]
    assert {canonical(name) for name in names} == {"layernorm"}
    assert canonical("BatchNorm1d") == canonical("batch_norm")


@pytest.mark.parametrize(
    "group, names, others",
    [
        ("normalisation", "layer_norm GroupNorm rms_norm _batch_norm_impl_index", "norm var mean"),
        ("autograd", "backward jacrev tanh_backward grad_fn", "save_for_backward no_grad detach"),
        ("attention", "scaled_dot_product_attention MultiheadAttention", "softmax bmm"),
        ("convolution", "conv2d conv_transpose1d mkldnn_convolution Conv1d", "convert unfold"),
        ("pooling", "max_pool2d AdaptiveAvgPool1d", "max mean"),
        ("softmax", "softmax _log_softmax", "logsumexp exp"),
        ("loss", "cross_entropy nll_loss MSELoss", "log"),
        ("recurrence", "lstm_cell GRU rnn_tanh", "tanh"),
    ],
)
def test_groups_are_by_meaning(group, names, others):
    assert [name for name in names.split() if not is_forbidden(name, [group])] == []
    assert [name for name in others.split() if is_forbidden(name, [group])] == []


def test_groups_are_of_numerical_libraries():
    assert is_forbidden("normalize", ["normalisation"], "torch.nn.functional")
    assert not is_forbidden("normalize", ["normalisation"], "unicodedata")
    assert is_forbidden("anything", ["normalisation"], "sklearn.preprocessing._data")


def test_every_finding_has_a_sentence():
    for kind in ("called", "off", "looked"):
        said = Finding(kind, "mine", "grad", "torch").sentence(["autograd"])
        assert re.match("mine is to be written by hand here, and", said)


def test_the_advice_is_that_of_the_group_which_was_used():
    """Whoever called torch's grad was told to use sums and means."""
    found = checks.Finding("called", "f", "grad", "torch")
    assert "write out the derivative" in found.sentence(("normalisation", "autograd"))
    found = checks.Finding("called", "f", "layer_norm", "torch")
    assert "sums, means" in found.sentence(("autograd", "normalisation"))


@pytest.mark.parametrize(
    "word, called, other",
    [
        ("sorted", "sorted([2, 1])", "[2, 1].sort()"),
        ("list.sort", "[2, 1].sort()", "sorted([2, 1])"),
        ("np.std", "np.std([1.0, 2.0])", "np.mean([1.0, 2.0])"),
        ("statistics.mean", "statistics.mean([1, 2])", "statistics.median([1, 2])"),
        ("math.fsum", "math.fsum([1, 2])", "math.prod([1, 2])"),
        ("statistics", "statistics.median([1, 2])", "sum([1, 2])"),
    ],
)
def test_a_name_means_what_it_says(word, called, other):
    """A function of Python's, one of a library, a method, or all of a module."""

    def seen(call):
        cell = f"import math, statistics\nimport numpy as np\ndef mine(): return {call}"
        return watched((cell,), f"by_hand(mine, without=[{word!r}])\nmine()")

    assert seen(called) and not seen(other)


@pytest.mark.parametrize(
    "word", ["softmx", "capwords", "np.sdt", "no_such_library.mean", "list.sorted", "np.exp"]
)
def test_a_name_that_means_nothing_is_refused(word):
    """np.exp exists, but Python does not tell of its calls."""
    with pytest.raises(CheckFailed, match=f"by_hand knows no '{word}'"):
        by_hand(len, without=[word])
