"""The bank's file format, what is refused, and what grading the small course's bank with nbgrader
gives."""

import nbformat
import pytest
from nbseal.authoring.bank_folder import bank_folder
from nbseal.authoring.release import release
from nbseal.errors import CourseError

from tools.bank import build_submission, find_entry, load_bank
from tools.bank_grading import grade_with_nbgrader
from tools.demo import class_work

RIGHT = "# %% right: a\npass\n"
DOUBLE = '"""double, 2 points."""\n'
SEVERAL = '"""Solutions that fill in several cells."""\n'


@pytest.fixture
def bank(tiny):
    return tiny.root / "bank" / "01_tiny"


def test_entries_say_what_they_are_and_what_they_lose(tiny):
    entries = {entry.name: entry for entry in load_bank(tiny, "01_tiny")}
    assert list(entries) == [
        "double-right-adds-instead-of-multiplying",
        "square-right-the-power-operator",
        "double-wrong-adds-2-to-x",
        "double-wrong-does-not-parse",
        "several-wrong-doubles-in-both-tasks-and-adds-one-in",
        "square-wrong-right-on-the-visible-numbers-loses-the",
    ]
    right = entries["double-right-adds-instead-of-multiplying"]
    assert right.is_right and not right.fails and right.told is None
    one = entries["double-wrong-adds-2-to-x"]
    assert (one.is_right, one.what) == (False, "adds 2 to x")
    assert one.fails == {"double_test"}, "its file's task, since it names no other"
    assert one.told == "You added 2 instead of multiplying by it"
    assert one.cells == {"double": "def double(x):\n    return x + 2"}
    both = entries["several-wrong-doubles-in-both-tasks-and-adds-one-in"]
    assert both.fails == {"double_test", "square_test"} and both.told == "You doubled x"
    assert both.cells == {
        "double": "def double(x):\n    return 2 * x + 1",
        "square": "def square(x):\n    return 2 * x",
    }


def test_a_task_may_fail_others_than_its_own_and_begin_with_a_comment(tiny, bank):
    text = "# %% wrong: a\n# told: no\n# fails: square\n\n# a comment\npass  # %% right: b\n\n"
    (bank / "double.py").write_text(DOUBLE + "\n" + text)
    entry = find_entry(tiny, "01_tiny", "double-wrong-a")
    assert entry.fails == {"square_test"} and entry.told == "no"
    assert entry.cells == {"double": "# a comment\npass  # %% right: b"}


def test_a_sly_one_is_wrong_and_no_slip(tiny, bank):
    (bank / "double.py").write_text(DOUBLE + "\n# %% sly: a\npass\n")
    sly, plain = find_entry(tiny, "01_tiny", "double-sly-a"), load_bank(tiny, "01_tiny")[-1]
    assert sly.is_sly and not sly.is_right and sly.fails == {"double_test"} and sly.told is None
    assert not plain.is_sly and not plain.is_right
    assert sly not in class_work(load_bank(tiny, "01_tiny"), 40)


def test_names_are_short_and_of_plain_letters(tiny, bank):
    texts = ("a very long story " * 5, "Übergröße ² 分", "x" * 60)
    (bank / "double.py").write_text(DOUBLE + "".join(f"# %% right: {t}\npass\n" for t in texts))
    names = {entry.name for entry in load_bank(tiny, "01_tiny") if "double" in entry.cells}
    assert names >= {
        "double-right-a-very-long-story-a-very-long-story-a",
        "double-right-ubergrosse-2",
        f"double-right-{'x' * 40}",
    }


def test_an_unknown_name_is_answered_with_those_like_it(tiny):
    with pytest.raises(
        CourseError, match=r"no solution 'double-wrong-adds-3'.* double-wrong-adds-2-"
    ):
        find_entry(tiny, "01_tiny", "double-wrong-adds-3")


def test_a_submission_is_the_released_notebook_with_the_solutions_filled_in(tiny):
    release(tiny, "01_tiny")
    submission = build_submission(tiny, find_entry(tiny, "01_tiny", "double-wrong-adds-2-to-x"))
    nbformat.validate(submission)
    cells = {cell.id: cell.source for cell in submission.cells}
    assert cells["double"] == "def double(x):\n    return x + 2"
    assert cells["square"] == 'def square(x):\n    """x times x."""\n    return x * x', (
        "the reference, without its marks"
    )
    assert "secret" not in cells["double_test"]


@pytest.mark.parametrize(
    "name, text, complaint",
    [
        ("treble", RIGHT, "line 1: the file must be named after the solution cell"),
        ("double_test", RIGHT, "or `several.py`; there are: double, square."),
        ("double", "", "line 1: the first line must be a title like"),
        ("double", RIGHT, 'line 1: the first line must be a title like `"""double, 2 points."""`'),
        (
            "double",
            '"""double, 1 point."""\n' + RIGHT,
            'is not what the notebook says; write """double, 2 points.""".',
        ),
        ("double", DOUBLE, "line 2: there is no solution; begin one with `# %% right: ...`"),
        ("double", DOUBLE + "x = 1\n" + RIGHT, "line 2: 'x = 1' stands before the first solution"),
        ("double", DOUBLE + "# %% double\npass", "line 2: '# %% double' begins no solution"),
        ("double", DOUBLE + RIGHT + "#%% wrong: b\npass", "line 4: '#%% wrong: b' begins no"),
        ("double", DOUBLE + "# %% wrong:\npass", "line 2: '# %% wrong:' begins no solution"),
        (
            "double",
            DOUBLE + "# %% wrong: a\n# author: me\npass",
            "line 3: '# author: me' is neither `# fails: ...` nor `# told: ...`",
        ),
        (
            "double",
            DOUBLE + "# %% wrong: a\n# told: b\n# told: c\npass",
            "line 4: `told` is given twice",
        ),
        (
            "double",
            DOUBLE + "# %% wrong: a\n\n# told: b\npass",
            "line 4: `# told: ...` stands in the code; move it to right below line 2",
        ),
        (
            "double",
            DOUBLE + "# %% right: a\n# fails: double\npass",
            "line 3: a right solution loses no points",
        ),
        (
            "double",
            DOUBLE + "# %% right: a\n# told: no\npass",
            "take the line `# told: ...` away, or call the solution wrong",
        ),
        (
            "double",
            DOUBLE + "# %% wrong: a\n# fails: treble\npass",
            "line 3: it fails 'treble', which is not a task with points",
        ),
        ("double", DOUBLE + "# %% wrong: a\n# told: b\n\n", "line 2: no code follows"),
        (
            "double",
            DOUBLE + RIGHT + "\n## square\npass",
            "line 5: `## square` begins a cell, and this file is for 'double' alone",
        ),
        (
            "double",
            DOUBLE + "# %% wrong: n - 1\npass\n# %% wrong: n + 1\npass",
            "line 4: 'n + 1' begins like 'n - 1' in line 2",
        ),
        ("several", SEVERAL + RIGHT, "line 3: 'pass' stands in no cell; begin one with `## NAME`"),
        ("several", SEVERAL + "# %% right: a\n", "line 2: the solution fills in no cell"),
        (
            "several",
            SEVERAL + "# %% right: a\n## treble\npass",
            "line 3: there is no solution cell 'treble'; write one of: double, square",
        ),
        (
            "several",
            SEVERAL + "# %% right: a\n## double\npass\n## double\npass",
            "line 5: the cell 'double' is given twice",
        ),
        (
            "several",
            SEVERAL + "# %% right: a\n## double\n## square\npass",
            "line 3: no code follows",
        ),
        (
            "several",
            SEVERAL + "# %% wrong: a\n## double\npass",
            "line 2: a wrong solution in this file must say which tasks lose their points",
        ),
    ],
)
def test_a_file_that_is_not_valid_is_refused_with_its_line(tiny, bank, name, text, complaint):
    (bank / f"{name}.py").write_text(text)
    with pytest.raises(CourseError) as error:
        load_bank(tiny, "01_tiny")
    said = str(error.value)
    assert complaint in said and said.startswith(f"{bank / name}.py, line ")
    assert said.endswith(".") and "\n" not in said


def test_a_file_that_is_no_text_is_refused(tiny, bank):
    (bank / "double.py").write_bytes(DOUBLE.encode() + b"# %% right: \xe9\npass")
    with pytest.raises(CourseError, match="line 2: it is not UTF-8 text; save the file as UTF-8"):
        load_bank(tiny, "01_tiny")


def test_a_cell_without_points_has_no_file_of_its_own(tiny, bank):
    path = tiny.source_notebook("01_tiny")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.id != "double_test"]
    nbformat.write(notebook, path)
    with pytest.raises(CourseError, match="'double' is not a task with points; move its solutions"):
        load_bank(tiny, "01_tiny")


def test_the_configuration_may_name_another_folder(tiny, bank):
    bank.parent.rename(tiny.root / "attempts")
    with pytest.raises(CourseError, match="the bank of 01_tiny is empty"):
        load_bank(tiny, "01_tiny")
    config = tiny.root / "nbgrader_config.py"
    before = config.read_text()
    config.write_text(f"{before}\nc.Bank.folder = 'attempts'\n")
    assert bank_folder(tiny, "01_tiny") == tiny.root / "attempts" / "01_tiny"
    assert len(load_bank(tiny, "01_tiny")) == 6
    config.write_text(f"{before}\nc.Bank.folder = 3\n")
    with pytest.raises(CourseError, match=r"must give `c\.Bank\.folder` as text, .*; it is 3"):
        load_bank(tiny, "01_tiny")


def test_a_course_without_configuration_has_its_bank_in_bank(tiny, bank):
    (tiny.root / "nbgrader_config.py").unlink()
    assert bank_folder(tiny, "01_tiny") == bank


def test_an_empty_bank_is_refused(tiny, bank):
    for path in bank.iterdir():
        path.unlink()
    with pytest.raises(CourseError, match="the bank of 01_tiny is empty"):
        load_bank(tiny, "01_tiny")


def test_an_exercise_that_was_not_released_is_named(tiny):
    with pytest.raises(CourseError, match="make it with `nbseal release 01_tiny`"):
        build_submission(tiny, load_bank(tiny, "01_tiny")[0])


@pytest.mark.slow
def test_nbgrader_gives_every_entry_what_it_says(tiny, tmp_path):
    release(tiny, "01_tiny")
    entries = load_bank(tiny, "01_tiny")
    results = grade_with_nbgrader(tiny, entries, tmp_path / "scratch")
    assert {entry.name: entry.fails for entry in entries} == {
        name: set(result.failed) for name, result in results.items()
    }
    assert {name: result.score for name, result in results.items()} == {
        "square-right-the-power-operator": 5,
        "double-right-adds-instead-of-multiplying": 5,
        "double-wrong-adds-2-to-x": 3,
        "several-wrong-doubles-in-both-tasks-and-adds-one-in": 0,
        "square-wrong-right-on-the-visible-numbers-loses-the": 2,
        "double-wrong-does-not-parse": 3,
    }
    for entry in entries:
        assert entry.told is None or any(
            entry.told in message for message in results[entry.name].messages.values()
        )
    assert not (tiny.root / "gradebook.db").exists() and not (tiny.root / "autograded").exists()
