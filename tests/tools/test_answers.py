"""Right and wrong answers, read from the task files of the small course."""

import pytest
from nbseal.authoring.release import release
from nbseal.errors import CourseError

from tools.answers import build_submission, find_answer, load_answers
from tools.grading import grade_with_nbgrader

ADDS = "double-wrong-you-added-2-instead-of-multiplying-by"


def test_answers_say_what_they_are_and_what_they_lose(tiny):
    answers = {answer.name: answer for answer in load_answers(tiny, "01_tiny")}
    assert list(answers) == [
        "double-right-adds-instead-of-multiplying",
        "square-right-the-power-operator",
        ADDS,
        f"{ADDS}--2",
        "square-wrong-you-doubled-x",
    ]
    right = answers["double-right-adds-instead-of-multiplying"]
    assert right.is_right and not right.fails and right.told is None
    wrong = answers[ADDS]
    assert not wrong.is_right and wrong.fails == {"double_test"}
    assert wrong.told == "You added 2 instead of multiplying by it."
    assert "return x + 2" in wrong.cells["double"] and "SOLUTION" not in wrong.cells["double"]


def test_variants_of_one_name_in_every_file_are_a_whole_notebook(tiny):
    folder = tiny.root / "tasks" / "01_tiny"
    for name in ("double", "square"):
        with open(folder / f"{name}.py", "a") as file:
            file.write(f"\n# %% right: lambdas\n{name} = lambda x: {name!r}\n")
    whole = find_answer(tiny, "01_tiny", "whole-lambdas")
    assert whole.cells.keys() == {"double", "square"}
    assert "double-right-lambdas" not in {one.name for one in load_answers(tiny, "01_tiny")}


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("# %% mistakes\nmistake('no', returns=)", "SyntaxError"),
        ("# %% mistakes\nmistake('no', {'x + x': 'x'})", "the reference has no 'x + x'"),
        ("# %% mistakes\nmistake('no', total='x')", "nothing is assigned to 'total'"),
        ("# %% right: a\npass\n# %% right: a\npass", "two sections are called"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tiny, text, complaint):
    path = tiny.root / "tasks" / "01_tiny" / "double.py"
    path.write_text(text)
    with pytest.raises(CourseError) as error:
        load_answers(tiny, "01_tiny")
    assert str(error.value).startswith(str(path)) and complaint in str(error.value)


def test_where_there_is_none_it_is_said(tiny):
    with pytest.raises(CourseError, match="has no answer 'nobody'; names like it: square"):
        find_answer(tiny, "01_tiny", "nobody")
    for path in (tiny.root / "tasks" / "01_tiny").iterdir():
        path.unlink()
    with pytest.raises(CourseError, match="01_tiny holds no answers"):
        load_answers(tiny, "01_tiny")


def test_an_exercise_that_was_not_released_is_named(tiny):
    with pytest.raises(CourseError, match="make it with `nbseal release 01_tiny`"):
        build_submission(tiny, load_answers(tiny, "01_tiny")[0])


@pytest.mark.slow
def test_nbgrader_gives_every_answer_what_it_says(tiny, tmp_path):
    release(tiny, "01_tiny")
    answers = load_answers(tiny, "01_tiny")
    results = grade_with_nbgrader(tiny, answers, tmp_path / "scratch")
    assert {answer.name: answer.fails for answer in answers} == {
        name: set(result.failed) for name, result in results.items()
    }
    assert [results[answer.name].score for answer in answers] == [5, 5, 3, 3, 2]
    for answer in answers:
        assert answer.told is None or any(
            answer.told in message for message in results[answer.name].messages.values()
        )
    assert not (tiny.root / "gradebook.db").exists() and not (tiny.root / "autograded").exists()


def test_a_second_task_of_a_cell_fills_in_that_cell(tiny):
    folder = tiny.root / "tasks" / "01_tiny"
    text = 'task = Task("double_again")\n# %% mistakes\nmistake("no", returns="x")\n'
    (folder / "double_again.py").write_text(text)
    wrong = find_answer(tiny, "01_tiny", "double_again-wrong-no")
    assert wrong.cells.keys() == {"double"} and wrong.may_fail == {"double_test"}
