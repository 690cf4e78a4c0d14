"""Releasing through nbgrader: what students get, that it is the same every time, and that nothing
leaks."""

import nbformat
import pytest
from nbseal.authoring.release import SECRETS, out_of_date, release
from nbseal.errors import CourseError


def edit(path, name, source=None, **marks):
    """Change the source or nbgrader's marks of one cell in a notebook file."""
    notebook = nbformat.read(path, as_version=4)
    [cell] = [
        cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name
    ]
    cell.source = cell.source if source is None else source
    cell.metadata.nbgrader.update(marks)
    nbformat.write(notebook, path)


@pytest.fixture
def source(tiny):
    return tiny.source_notebook("01_tiny")


def test_students_get_a_stub_in_the_skeleton_and_no_hidden_test(tiny):
    release(tiny, "01_tiny")
    cells = {
        cell.id: cell
        for cell in nbformat.read(tiny.released_notebook("01_tiny"), as_version=4).cells
    }
    assert cells["double"].source == (
        'def double(x):\n    """Two times x."""\n    raise NotImplementedError("TODO: write your solution here")'
    )
    assert "two times one" in cells["double_test"].source
    assert "two times a secret" not in cells["double_test"].source


def test_stored_outputs_are_cleared(tiny, source):
    notebook = nbformat.read(source, as_version=4)
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="42")]
    notebook.cells[-1].execution_count = 7
    nbformat.write(notebook, source)
    release(tiny, "01_tiny")
    released = nbformat.read(tiny.released_notebook("01_tiny"), as_version=4)
    assert all(
        not cell.outputs and cell.execution_count is None
        for cell in released.cells
        if cell.cell_type == "code"
    )


def test_twice_gives_the_same_bytes_and_leaves_nothing_else(tiny):
    assert release(tiny, "01_tiny")
    first = tiny.released_notebook("01_tiny").read_bytes()
    before = {path for path in tiny.root.rglob("*")}
    assert not release(tiny, "01_tiny")
    tiny.released_notebook("01_tiny").unlink()
    assert release(tiny, "01_tiny")
    assert tiny.released_notebook("01_tiny").read_bytes() == first
    assert {path for path in tiny.root.rglob("*")} == before
    assert not list(tiny.root.rglob("gradebook.db"))


def test_files_beside_the_notebook_go_along_and_removed_ones_disappear(tiny, source):
    (source.parent / "figure.txt").write_text("a figure")
    (source.parent / ".ipynb_checkpoints").mkdir()
    (source.parent / ".ipynb_checkpoints" / "old.ipynb").write_text("secret")
    release(tiny, "01_tiny")
    assert sorted(path.name for path in (tiny.exercises / "01_tiny").iterdir()) == [
        "figure.txt",
        "tiny.ipynb",
    ]
    (source.parent / "figure.txt").unlink()
    assert out_of_date(tiny) == ["01_tiny"]
    release(tiny, "01_tiny")
    assert [path.name for path in (tiny.exercises / "01_tiny").iterdir()] == ["tiny.ipynb"]


@pytest.mark.parametrize(
    "change",
    [
        lambda tiny, source: edit(
            source, "double", "def double(x):\n    ### BEGIN SOLUTION\n    ### END SOLUTION"
        ),
        lambda tiny, source: edit(source, "double_test", points=5),
        lambda tiny, source: edit(source, "setup", "# another setup cell"),
        lambda tiny, source: tiny.released_notebook("01_tiny").unlink(),
        lambda tiny, source: source.rename(source.with_name("renamed.ipynb")),
    ],
)
def test_every_change_of_the_source_makes_exercises_out_of_date(tiny, source, change):
    release(tiny, "01_tiny")
    assert out_of_date(tiny) == []
    change(tiny, source)
    assert out_of_date(tiny) == ["01_tiny"]


def test_an_exercise_without_its_source_is_out_of_date(tiny):
    release(tiny, "01_tiny")
    (tiny.exercises / "01_tiny").rename(tiny.exercises / "00_gone")
    release(tiny, "01_tiny")
    assert out_of_date(tiny) == ["00_gone"]


@pytest.mark.parametrize(
    "name, damage, complaint",
    [
        (
            "double",
            {"source": "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x"},
            "no end solution statement found",
        ),
        (
            "double_test",
            {"source": "### BEGIN HIDDEN TESTS\nassert True"},
            "[Nn]o end hidden tests? ",
        ),
        ("square", {"grade_id": "double"}, "[Dd]uplicate"),
        ("double_test", {"source": "### BEGIN SOLUTION\n### END SOLUTION"}, "[Ss]olution"),
    ],
)
def test_a_source_that_nbgrader_refuses_is_told_in_its_words_and_writes_nothing(
    tiny, source, name, damage, complaint
):
    edit(source, name, **damage)
    with pytest.raises(CourseError, match=complaint):
        release(tiny, "01_tiny")
    assert not tiny.exercises.exists()


def test_an_answer_in_a_file_beside_the_notebook_is_not_released(tiny, source):
    (source.parent / "notes.md").write_text("### BEGIN SOLUTION\n42")
    with pytest.raises(
        CourseError,
        match="students could read its answers in notes.md: it contains 'BEGIN SOLUTION'",
    ):
        release(tiny, "01_tiny")
    assert not tiny.exercises.exists()


def test_a_notebook_without_solution_cells_cannot_be_released(tiny, source):
    for name in ("double", "square"):
        edit(source, name, "pass", solution=False)
    with pytest.raises(CourseError, match="has no solution cells"):
        release(tiny, "01_tiny")


def test_a_notebook_without_points_cannot_be_released(tiny, source):
    for name in ("double_test", "square_test"):
        edit(source, name, points=0)
    with pytest.raises(CourseError, match="has no test cells with points"):
        release(tiny, "01_tiny")


def test_released_text_holds_none_of_nbgraders_secret_marks(tiny):
    release(tiny, "01_tiny")
    text = tiny.released_notebook("01_tiny").read_text()
    assert [secret for secret in SECRETS if secret in text] == []
