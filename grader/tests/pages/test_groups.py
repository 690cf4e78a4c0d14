"""Wrong answers without a name: what an author is shown of them."""

from copy import deepcopy
from pathlib import Path

from nbseal.notebook.notes import note_verdict
from nbseal.pages.report.gathering import _Reader
from nbseal.records import CellVerdict, CheckResult
from support.engine_tools import code, notebook

NOTEBOOK = notebook(
    code("def stats(x):\n    return 1, 3", "stats", solution=True),
    code('expect("the mean", stats(x), 1)', "stats_test", test=True),
    code("def other(x): ...", "other", solution=True),
)


def failures(*checks):
    nb = deepcopy(NOTEBOOK)
    note_verdict(nb.cells[1], CellVerdict("stats_test", False, checks))
    reader = _Reader("work", 1.0, {}, None, Path())
    return list(reader._failures(nb, "nb", {"stats_test"}))


def failed(label="the mean", **more):
    return CheckResult(label, False, False, **more)


def test_a_written_answer_gets_a_line_to_paste_and_a_digest_none():
    [visible], [hidden] = failures(failed(answer="3")), failures(failed(answer="#1b2c"))
    assert visible.line == '"...": 3,' and hidden.line is None
    assert visible.code == hidden.code == "def stats(x):\n    return 1, 3"
    assert failures(failed())[0].line is None


def test_a_named_mistake_is_the_reason_and_else_the_first_check_that_failed():
    first, second = failed("first", answer="3"), failed("second", mistake="You added 2.")
    [named] = failures(first, second)
    assert (named.text, named.code, named.line) == ("You added 2.", "", None)
    [unnamed] = failures(first, failed("third", answer="4"))
    assert (unnamed.text, unnamed.named) == ("first", False)
