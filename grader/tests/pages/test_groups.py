"""Wrong answers without a name: which are the same, what an author is shown of them."""

from nbseal.pages.report.analysis import problems
from nbseal.pages.report.records import ClassRecord, Failure, Submission, Task
from nbseal.records import CheckResult


def failed(answer, mistake=None, hidden=False):
    return Failure("nb/stats", CheckResult("the mean", False, hidden, "", mistake, answer=answer))


def test_a_written_answer_gets_a_line_to_paste_and_a_digest_none():
    assert failed("3").line == '"...": 3,'
    assert failed("#1b2c", hidden=True).line is None
    assert failed("").line is None and failed("3", mistake="You added.").line is None


def submission(student, failure):
    return Submission(student, student, {"nb/stats": 0.0}, 0.0, 1.0, failures=(failure,))


def test_students_with_the_same_answer_are_a_group_and_the_largest_comes_first():
    given = {"ann": "3", "bob": "4", "cem": "4", "dan": ""}
    handed_in = tuple(submission(student, failed(answer)) for student, answer in given.items())
    found = problems(ClassRecord("work", (Task("nb/stats", "stats", 1.0),), handed_in))
    assert {one.students for one in found} == {("bob", "cem"), ("ann",), ("dan",)}
    assert found[0].students == ("bob", "cem") and found[0].example.check.answer == "4"


def test_a_named_mistake_is_one_group_whatever_was_answered():
    handed_in = tuple(
        submission(str(number), failed(str(number), "You added.")) for number in range(3)
    )
    [one] = problems(ClassRecord("work", (Task("nb/stats", "stats", 1.0),), handed_in))
    assert one.students == ("0", "1", "2") and one.example.line is None
