"""Wrong answers without a name: which are the same, what an author is shown of them."""

from nbseal.notebook.mutants import question
from nbseal.pages.report.groups import groups, wrong_answer
from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task, WrongAnswer
from nbseal.records import CheckResult
from support.engine_tools import code, notebook

TEST = (
    'expect("the mean", stats(x), 1, of=second)\n'
    '### BEGIN HIDDEN TESTS\nexpect("secret", stats(x), 1)\n### END HIDDEN TESTS'
)
NOTEBOOK = notebook(
    code("def other(x): ...", "other", solution=True),
    code("def stats(x):\n    return 1, 3", "stats", solution=True),
    code(TEST, "stats_test", test=True),
)


def asked(label, hidden, answer, likely=None):
    check = CheckResult(label, False, hidden, answer=answer)
    return wrong_answer(NOTEBOOK, NOTEBOOK.cells[2], check, likely or {})


def test_a_written_answer_gets_a_line_to_paste_and_a_digest_none():
    visible, hidden = asked("the mean", False, "3"), asked("secret", True, "#1b2c")
    assert visible.line == '"...": 3,' and hidden.line is None
    assert visible.code == hidden.code == "def stats(x):\n    return 1, 3"
    assert visible.same == "3" and hidden.same == "#1b2c"


def test_a_mutant_that_answers_so_is_named():
    known = {question("stats_test", "the mean", "(1, 3)"): "stats: 2 → 3"}
    assert asked("the mean", False, "(1, 3)", known).likely == "stats: 2 → 3"
    assert asked("the mean", False, "(1, 3)").likely is None


def test_where_no_answer_is_known_nothing_is_made_up():
    assert asked("the mean", False, "") is None


def submission(student, answer):
    failure = Failure("nb/stats", CheckResult("the mean", False, False), answer)
    return Submission(student, student, {"nb/stats": 0.0}, 0.0, 1.0, failures=(failure,))


def test_students_with_the_same_answer_are_a_group_and_the_largest_comes_first():
    one, two = WrongAnswer("3", None, "a", None), WrongAnswer("4", None, "b", None)
    found = groups(
        ClassRecord(
            "work",
            (Task("nb/stats", "stats", 1.0),),
            (
                submission("ann", one),
                submission("bob", two),
                submission("cem", two),
                submission("dan", None),
            ),
        )
    )
    assert [group.students for group in found] == [("bob", "cem"), ("ann",), ("dan",)]
    assert found[0].answer == two and found[2].answer is None
