"""see="02#the-axis" of a task file: which section of which lecture that is."""

import pytest
from nbformat import write
from nbformat.v4 import new_markdown_cell, new_notebook
from nbseal.authoring.lecture_sections import section
from nbseal.course import Course
from nbseal.errors import CourseError

BADGE = "[Colab](https://colab.example/o/r/blob/v1/release/02_b/b.ipynb)"


@pytest.fixture
def place(tmp_path):
    """Finds a section for a notebook of a course with one lecture."""
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    (tmp_path / "lectures").mkdir()
    cells = [
        new_markdown_cell("# 02 · B", id="top"),
        new_markdown_cell("text\n\n## 2 · The γ axis", id="axis"),
    ]
    with open(tmp_path / "lectures" / "02_b.ipynb", "w") as file:
        write(new_notebook(cells=cells), file)
    course, notebook = Course.at(tmp_path), tmp_path / "source" / "02_b" / "b.ipynb"
    return lambda see, text=BADGE: section(
        course, notebook, new_notebook(cells=[new_markdown_cell(text)]), see
    )


def test_a_section_has_a_title_a_path_and_an_address_beside_the_badges(place):
    found = place("02#the-γ-axis")
    assert found.title == "lecture 02, 2 · The γ axis"
    assert found.path == "../../lectures/02_b.ipynb#2-·-The-γ-axis"
    assert found.web == "https://colab.example/o/r/blob/v1/lectures/02_b.ipynb#scrollTo=axis"
    assert place("02#the-γ-axis", "no badge").web == ""


@pytest.mark.parametrize(
    "see, said",
    [
        ("03#the-γ-axis", "there is no lecture '03'"),
        ("#the-γ-axis", "there is no lecture ''"),
        ("02#the-axis", "has no section 'the-axis'; its sections are: the-γ-axis"),
        ("02", "has no section ''"),
    ],
)
def test_what_does_not_exist_is_refused(place, see, said):
    with pytest.raises(CourseError, match=said):
        place(see)
