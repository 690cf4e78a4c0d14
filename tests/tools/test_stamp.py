"""How a stamped notebook begins."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.stamp import FOLDED, badge_source, setup_source, stamp, stamped, unstamped

TITLE = "# 01 · A title\n\n> *Why?*"


@pytest.fixture
def lecture(tiny):
    return tiny.root / "lectures" / "01_tiny.ipynb"


def begin(tiny, lecture, *cells):
    """The first cells of a notebook of these cells, stamped."""
    return stamped(tiny, new_notebook(cells=list(cells)), lecture).cells


def test_title_with_badge_then_the_setup_cell_folded(tiny, lecture):
    title, setup, rest = begin(tiny, lecture, new_markdown_cell(TITLE), new_code_cell("1"))
    assert title.source == f"# 01 · A title\n\n{badge_source(tiny, lecture)}\n\n> *Why?*"
    assert setup.source == setup_source(tiny) and setup.source.startswith("# @title ")
    assert setup.metadata.items() >= FOLDED.items() and rest.source == "1"


def test_cells_in_front_of_the_title_go_behind_it(tiny, lecture):
    badge = new_markdown_cell("[![Open in Colab](https://old)](https://older)", id="badge")
    setup = new_code_cell("old code", id="setup")
    cells = begin(tiny, lecture, badge, setup, new_markdown_cell(TITLE))
    assert cells[0].source.startswith("# 01") and "https://older" not in cells[0].source
    assert cells[1].source == setup_source(tiny) and len(cells) == 2


def test_stamping_twice_changes_nothing(tiny, lecture):
    stamp(tiny)
    assert stamp(tiny) == [] == unstamped(tiny)
    once = stamped(tiny, new_notebook(cells=[new_markdown_cell(TITLE)]), lecture)
    assert stamped(tiny, once, lecture) == once


def test_an_old_badge_gives_way_to_the_new_address(tiny, lecture):
    old = "[![Open in Colab](https://x)](https://github/blob/v0/lectures/01_tiny.ipynb)"
    title, *_ = begin(tiny, lecture, new_markdown_cell(f"# T\n\n{old}\n\n> *Why?*"))
    assert title.source == f"# T\n\n{badge_source(tiny, lecture)}\n\n> *Why?*"


def test_without_a_title_the_badge_stands_alone(tiny, lecture):
    badge, setup, rest = begin(tiny, lecture, new_code_cell("1"))
    assert badge.source == badge_source(tiny, lecture)
    assert [badge.id, setup.id, rest.source] == ["badge", "setup", "1"]


def test_what_the_setup_cell_printed_is_kept_while_its_code_is_the_same(tiny, lecture):
    printed = new_output("stream", text="Found")
    same = new_code_cell(setup_source(tiny), id="setup", outputs=[printed])
    other = new_code_cell("old code", id="setup", outputs=[printed])
    assert begin(tiny, lecture, new_markdown_cell(TITLE), same)[1].outputs == [printed]
    assert begin(tiny, lecture, new_markdown_cell(TITLE), other)[1].outputs == []


def test_a_released_assignment_begins_in_the_same_way(tiny):
    path = tiny.source_notebook("01_tiny")
    first, setup, *_ = nbformat.read(path, as_version=4).cells
    assert badge_source(tiny, path) in first.source and "solutions/" not in first.source
    assert setup.metadata.nbgrader.locked and setup.metadata.cellView == "form"


def test_the_setup_cell_is_read_without_scrolling(tiny):
    lines = setup_source(tiny).splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 88
