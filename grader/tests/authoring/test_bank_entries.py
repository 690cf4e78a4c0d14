"""The bank's file format, what is refused, and what grading the small course's bank with nbgrader
gives."""

import nbformat
import pytest
from nbseal.authoring.bank import build_submission, load_bank
from nbseal.authoring.bank_grading import grade_with_nbgrader
from nbseal.authoring.release import release
from nbseal.errors import CourseError


@pytest.fixture
def bank(tiny):
    return tiny.root / "bank" / "01_tiny"


def test_entries_say_what_they_are_and_what_they_lose(tiny):
    entries = {entry.name: entry for entry in load_bank(tiny, "01_tiny")}
    assert list(entries) == [
        "right_power",
        "right_sum",
        "wrong_adds_two",
        "wrong_both",
        "wrong_sign",
        "wrong_syntax",
    ]
    assert entries["right_sum"].is_right and not entries["right_sum"].fails
    both = entries["wrong_both"]
    assert (both.is_right, both.what) == (False, "doubles in both tasks, and adds one in the first")
    assert both.fails == {"double_test", "square_test"} and both.told == "You doubled x"
    assert both.cells == {
        "double": "def double(x):\n    return 2 * x + 1",
        "square": "def square(x):\n    return 2 * x",
    }


def test_a_submission_is_the_released_notebook_with_the_solutions_filled_in(tiny):
    release(tiny, "01_tiny")
    [entry] = [entry for entry in load_bank(tiny, "01_tiny") if entry.name == "wrong_adds_two"]
    submission = build_submission(tiny, entry)
    nbformat.validate(submission)
    cells = {cell.id: cell.source for cell in submission.cells}
    assert cells["double"] == "def double(x):\n    return x + 2"
    assert cells["square"] == 'def square(x):\n    """x times x."""\n    return x * x', (
        "the reference, without its marks"
    )
    assert "secret" not in cells["double_test"]


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "must begin with `# right: ...` or `# wrong: ...`"),
        ("# right: a\n# wrong: b\n# fails: double\n# %% double\npass", "must begin with"),
        ("# right: a", "holds no solution cell"),
        ("# right: a\nx = 1\n# %% double\npass", "line 2: 'x = 1' stands before the first cell"),
        ("# right: a\n# author: me\n# %% double\npass", "line 2: '# author: me' stands before"),
        ("# right: a\n# right: b\n# %% double\npass", "line 2: `right` is given twice"),
        (
            "# right: a\n# %% treble\npass",
            "fills in a cell 'treble' that 01_tiny does not have; it has: double, square",
        ),
        ("# right: a\n# %% double_test\npass", "fills in a cell 'double_test'"),
        (
            "# right: a\n# %% double\npass\n# %% double\npass",
            "line 4: the cell 'double' is given twice",
        ),
        (
            "# wrong: a\n# fails: treble\n# %% double\npass",
            "fails 'treble', which is not a task of 01_tiny with points",
        ),
        ("# wrong: a\n# %% double\npass", "a wrong solution names the tasks that it `fails`"),
        ("# right: a\n# fails: double\n# %% double\npass", "a right one has neither"),
        ("# right: a\n# told: no\n# %% double\npass", "a right one has neither"),
    ],
)
def test_a_file_that_is_not_valid_is_refused_with_its_name(tiny, bank, text, complaint):
    (bank / "new.py").write_text(text)
    with pytest.raises(CourseError) as error:
        load_bank(tiny, "01_tiny")
    assert complaint in str(error.value) and str(bank / "new.py") in str(error.value)
    assert "\n" not in str(error.value)


def test_an_empty_bank_is_refused(tiny, bank):
    for path in bank.iterdir():
        path.unlink()
    with pytest.raises(CourseError, match="the bank of 01_tiny is empty"):
        load_bank(tiny, "01_tiny")


def test_an_exercise_that_was_not_released_is_named(tiny):
    with pytest.raises(CourseError, match="make it with `nbseal release 01_tiny`"):
        build_submission(tiny, load_bank(tiny, "01_tiny")[0])


def test_nbgrader_gives_every_entry_what_it_says(tiny, tmp_path):
    release(tiny, "01_tiny")
    entries = load_bank(tiny, "01_tiny")
    results = grade_with_nbgrader(tiny, entries, tmp_path / "scratch")
    assert {entry.name: entry.fails for entry in entries} == {
        name: set(result.failed) for name, result in results.items()
    }
    assert {name: result.score for name, result in results.items()} == {
        "right_power": 5,
        "right_sum": 5,
        "wrong_adds_two": 3,
        "wrong_both": 0,
        "wrong_sign": 2,
        "wrong_syntax": 3,
    }
    for entry in entries:
        assert entry.told is None or any(
            entry.told in message for message in results[entry.name].messages.values()
        )
    assert not (tiny.root / "gradebook.db").exists() and not (tiny.root / "autograded").exists()
