"""What a page shows of a notebook."""

import base64
import dataclasses
import hashlib
import sys

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.course import ROOT
from tools.settings import Settings

sys.path.insert(0, str(ROOT / "docs" / "site"))
import course_pages

PICTURE = b"\x89PNG 1", b"\x89PNG 2"


def drawn(*pictures: bytes, alts=(), **metadata) -> NotebookNode:
    """A cell that drew these pictures."""
    outputs = [
        new_output(
            "display_data",
            {"image/png": base64.b64encode(picture).decode()},
            metadata={"image/png": {"alt": alts[number]}} if alts else {},
        )
        for number, picture in enumerate(pictures)
    ]
    return new_code_cell("plot()", outputs=outputs, metadata=metadata)


def descriptions(*cells: NotebookNode) -> list[str | None]:
    """Of the two pictures in a notebook of these cells."""
    found = course_pages.figures(new_notebook(cells=list(cells)))
    return [found.get(hashlib.sha256(picture).hexdigest(), "not there") for picture in PICTURE]


def page(*cells: NotebookNode, path="lectures/01_x.ipynb") -> list[NotebookNode]:
    return course_pages.prepared(new_notebook(cells=list(cells)), ROOT / path, ROOT).cells


def test_two_figures_of_a_cell_have_two_descriptions():
    assert descriptions(drawn(*PICTURE, alts=("falls", "rises"))) == ["falls", "rises"]


def test_a_figure_without_one_is_described_by_the_italic_line_below():
    below = new_markdown_cell("*Figure: a curve that\nfalls.*\n\nIt falls.")
    assert descriptions(drawn(PICTURE[0]), below)[0] == "a curve that falls."
    assert descriptions(drawn(PICTURE[0]), new_code_cell("1"), below)[0] == "a curve that falls."


@pytest.mark.parametrize("below", ["It falls.", "**No.** *Figure: of another.*"])
def test_other_text_below_describes_nothing(below):
    assert descriptions(drawn(PICTURE[0]), new_markdown_cell(below))[0] is None


def test_a_line_belongs_to_the_figure_above_it_only():
    below = new_markdown_cell("*Figure: the second.*")
    assert descriptions(drawn(PICTURE[0]), drawn(PICTURE[1]), below) == [None, "the second."]


def test_a_page_has_no_badge_and_a_folded_setup_cell():
    badge = (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://x)"
    )
    title = new_markdown_cell(f"# 01 · X\n\n{badge}\n\nWhy?")
    setup = new_code_cell("# @title Run this cell first\nimport os", id="setup")
    cells = page(title, setup, new_code_cell("1"))
    assert [cell.source for cell in cells[::2]] == ["# 01 · X\n\nWhy?", "1"]
    assert [cell.metadata["tags"] for cell in cells[1:3]] == [["hide-cell"], []]


@pytest.mark.parametrize(
    ("source", "metadata", "prompt"),
    [
        ("plot()", {"jupyter": {"source_hidden": True}}, None),
        ('#@title The map {display-mode: "form"}\nplot()', {"cellView": "form"}, "The map"),
        ("expect()", {"nbgrader": {"grade": True, "grade_id": "norm_test"}}, "the check of norm"),
        ("#@title Norm\n", {"nbgrader": {"grade": True, "grade_id": "norm_test"}}, "Norm"),
    ],
)
def test_folded_code_says_what_it_is(source, metadata, prompt):
    cell = page(new_markdown_cell("# X"), new_code_cell(source, metadata=metadata))[1]
    assert cell.metadata["tags"] == ["hide-input"]
    assert (prompt or "") in cell.metadata.get("mystnb", {}).get("code_prompt_show", "")


def test_other_code_stays_open():
    cell = page(new_markdown_cell("# X"), new_code_cell("1", metadata={"tags": ["claim"]}))[1]
    assert cell.metadata["tags"] == ["claim"]


@pytest.mark.parametrize(
    "fragment",
    ["#2-·-The-axis,-again", "#2--the-axis-again", "#2-%C2%B7-The-axis%2C-again"],
    ids=["JupyterLab", "GitHub", "quoted"],
)
def test_links_to_a_heading_work_however_it_is_spelled(fragment):
    heading = course_pages.slug("2 · The axis, again")
    assert course_pages.with_links_that_work(f"[x]({fragment})") == f"[x](#{heading})"
    linked = course_pages.with_links_that_work(f"[x](02_y.ipynb{fragment})")
    assert linked == f"[x](02_y.ipynb#{heading})"


def test_other_links_stay_as_they_are():
    for link in ("[x](https://example.org/#A-B)", "[x](02_y.ipynb)", "`x[0](y)`"):
        assert course_pages.with_links_that_work(link) == link


def test_an_anchor_in_html_is_one_here():
    page = course_pages.with_links_that_work('<a id="The axis"></a>\n## The axis')
    assert page == "(the-axis)=\n\n## The axis"


def test_a_lecture_leads_to_its_exercise_and_that_to_the_next_lecture():
    lecture = page(new_markdown_cell("# X"), path="lectures/02_layer_norm.ipynb")
    assert "../exercises/02_layer_norm/layer_norm.ipynb" in lecture[-1].source
    exercise = page(new_markdown_cell("# X"), path="exercises/02_layer_norm/layer_norm.ipynb")
    assert "../../lectures/02_layer_norm.ipynb" in exercise[-1].source
    assert "../../lectures/03_batch_norm.ipynb" in exercise[-1].source


SETTINGS = Settings("x", "https://github.com/somebody/course.git", "main", "v3")


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        (
            SETTINGS.repository,
            "https://colab.research.google.com/github/somebody/course/blob/v3/lectures/01.ipynb",
        ),
        ("https://github.com/your_organisation/deep-networks-student.git", None),
        ("https://gitlab.example.org/somebody/course.git", None),
    ],
)
def test_colab_is_offered_where_it_can_open_the_notebook(repository, address):
    settings = dataclasses.replace(SETTINGS, repository=repository)
    assert course_pages.colab_address(settings, "lectures/01") == address
