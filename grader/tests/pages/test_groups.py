"""Wrong answers without a name: which are the same, what an author is shown of them."""

import torch
from nbseal import packing
from nbseal.notebook import answers
from nbseal.pages.report.groups import groups, wrong_answer
from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task, WrongAnswer
from nbseal.pages.spelling import is_written_out, part_of, spelled
from nbseal.records import Answers, CheckResult, NotAnswer, PackedAnswer, TestRecord
from support.engine_tools import code, notebook


def packed(value, label="the mean"):
    return PackedAnswer(label, *packing.pack(value))


def test_an_answer_is_spelled_as_a_test_would_write_it():
    assert spelled(packed(torch.tensor([[1.0, 2.5], [-0.0, 1 / 3]]))) == (
        "tensor([[1., 2.5], [0., 0.33333]])"
    )
    assert spelled(packed({"weight": torch.tensor([1, 2]), "b": (True,)})) == (
        "{'weight': tensor([1, 2]), 'b': (True,)}"
    )
    assert spelled(packed([0.1 + 0.2, float("nan"), None, "own"])) == (
        "[0.3, float(\"nan\"), None, 'own']"
    )


def test_last_digits_make_no_difference_and_others_do():
    one, same, other = (packed(torch.tensor([1.0 + part])) for part in (0, 1e-6, 1e-2))
    assert spelled(one) == spelled(same) != spelled(other)


def test_what_cannot_be_written_out_is_told_apart_all_the_same():
    large = [spelled(packed(torch.full((1000,), value))) for value in (1.0, 1.0, 2.0)]
    assert large[0] == large[1] != large[2] and not is_written_out(large[0])
    assert not is_written_out(spelled(packed(NotAnswer("a function"))))
    assert not is_written_out(spelled(PackedAnswer("x", {"tensor": 3}, b"damaged")))
    assert not is_written_out(spelled(PackedAnswer("x", {"complex": [10**4000, 0]}, b"")))
    # no numbers, and as many brackets as memory does not hold
    for shape in ((2**40, 0), (0, 2**40), (1,) * 500):
        assert not is_written_out(spelled(packed(torch.zeros(shape))))
    assert spelled(packed(1 + 2j)) == "(1+2j)"


def test_a_part_of_an_answer_is_the_one_that_the_check_looks_at():
    pair = packed((torch.tensor([1.0]), torch.tensor([2.0])))
    assert spelled(part_of(pair, 1)) == "tensor([2.])"
    assert spelled(part_of(packed(3), 1)) == "3"


TEST = (
    'expect("the mean", stats(x), 1, of=second)\n'
    '### BEGIN HIDDEN TESTS\nexpect("secret", stats(x), 1)\n### END HIDDEN TESTS'
)
NOTEBOOK = notebook(
    code("def other(x): ...", "other", solution=True),
    code("def stats(x):\n    return 1, 3", "stats", solution=True),
    code(TEST, "stats_test", test=True),
)
GIVEN = Answers(
    "key",
    "torch",
    (TestRecord("stats_test", "completed", (packed((1, 3)), packed((1, 3), "secret"))),),
)


def asked(label, hidden, likely=None, given=GIVEN):
    check = CheckResult(label, False, hidden)
    return wrong_answer(NOTEBOOK, NOTEBOOK.cells[2], check, given, likely or {})


def test_a_visible_check_gets_a_line_to_paste_and_a_hidden_one_none():
    visible, hidden = asked("the mean", False), asked("secret", True)
    assert visible.line == '"...": 3,' and hidden.line is None
    assert visible.code == hidden.code == "def stats(x):\n    return 1, 3"
    # its numbers mean something in their own run alone
    assert "key" in hidden.same and "key" not in visible.same


def test_a_mutant_that_answers_so_is_named():
    question = answers.question("stats_test", "the mean", "(1, 3)")
    assert asked("the mean", False, {question: "stats: 2 → 3"}).likely == "stats: 2 → 3"
    assert asked("the mean", False).likely is None


def test_without_kept_answers_nothing_is_made_up():
    assert asked("the mean", False, given=None) is None
    assert asked("another label", False) is None


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


def test_a_file_of_answers_that_is_damaged_or_missing_says_nothing(tmp_path):
    path = answers.place_of(tmp_path, "work", "ann", "nb")
    assert answers.kept(path, NOTEBOOK) is None
    answers.keep(path, GIVEN, NOTEBOOK)
    assert answers.kept(path, NOTEBOOK) == GIVEN
    path.write_bytes(path.read_bytes().replace(b'"tests"', b'"tets"'))
    assert answers.kept(path, NOTEBOOK) is None
    path.write_text("[]")
    assert answers.kept(path, NOTEBOOK) is None
