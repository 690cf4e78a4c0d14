"""Formulas as MathML: what browsers need that latex2mathml does not write, and what is no formula."""

import json
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbseal.pages.formulas import latex_as_html, mathml, with_formulas
from nbseal.pages.safe_html import clean, render

COURSE = Path(__file__).resolve().parents[3]


def parts(tex):
    """The elements of a formula that have no others in them: name, text, attributes."""
    soup = BeautifulSoup(mathml(tex), "html.parser")
    return [(one.name, one.text, one.attrs) for one in soup.find_all(True) if not one.find(True)]


def words(tex):
    return [text for _, text, _ in parts(tex)]


@pytest.mark.parametrize(
    "tex, shown",
    [
        (r"\mathcal L", ["ℒ"]),
        (r"\mathbf 1 \mathbf{x}", ["𝟏", "𝐱"]),
        (r"\boldsymbol{\beta}", ["𝜷"]),
        (r"\mathbb R", ["ℝ"]),
        (r"\mathfrak C", ["ℭ"]),
        (r"\Big\lfloor x \Big\rfloor", ["⌊", "x", "⌋"]),
        (r"\operatorname{conv\_block}(x)", ["conv_block", "(", "x", ")"]),
        (r"\operatorname*{arg\,max}_x", ["arg\xa0max", "x"]),
        (r"\begin{equation}a\end{equation}", ["a"]),
    ],
)
def test_letters_are_unicodes_own(tex, shown):
    assert words(tex) == shown


def test_columns_are_aligned_by_style():
    soup = BeautifulSoup(mathml(r"\begin{aligned} a &= b \\ cc &= d \end{aligned}"), "html.parser")
    assert [cell["style"].split(";")[0] for cell in soup.find_all("mtd")] == [
        "text-align: right",
        "text-align: left",
    ] * 2
    assert clean(str(soup)).count("-webkit-right") == 2


def test_names_signs_and_brackets_have_the_spaces_of_tex():
    name = next(about for tag, text, about in parts(r"y\ln x") if text == "ln")
    assert (name["lspace"], name["rspace"]) == ("0.167em", "0.167em")
    name = next(about for tag, text, about in parts(r"\operatorname{std}(x)") if text == "std")
    assert (name["lspace"], name["rspace"]) == ("0", "0")
    assert next(about for _, text, about in parts("(1, -1)") if text == "−")["form"] == "prefix"
    bars = [about["form"] for _, text, about in parts(r"|a| > |b|_1") if text == "|"]
    assert bars == ["prefix", "postfix"] * 2
    large = BeautifulSoup(mathml(r"\Big)^2"), "html.parser").find("msup")
    assert large.find("mrow").find("mo")["stretchy"] == "true"


@pytest.mark.parametrize(
    "tex",
    [
        r"\unknown{x}",
        r"\begin{unknown} a & b \end{unknown}",
        r"\left( a",
        "x^",
        "{" * 3000,
        "x" * 6000,
        r"\def\a{\b\b}\a",
        r"\newcommand{\a}{b}\a",
        r"\href{javascript:1}{press}",
        r"\style{color: red}{x}",
    ],
)
def test_what_cannot_be_converted_is_shown_as_it_was_typed(tex):
    soup = BeautifulSoup(mathml(tex), "html.parser")
    assert [one.name for one in soup.find_all(True)] == ["code"] and soup.text == tex
    assert BeautifulSoup(render(f"${tex}$", {}), "html.parser").text.strip() == tex


def test_text_in_a_formula_is_text():
    soup = BeautifulSoup(mathml(r"\text{<img src=x onerror=1> &amp; a}"), "html.parser")
    assert not soup.find("img") and soup.find("mtext").text.startswith("<img")
    assert "<b>" in BeautifulSoup(with_formulas("$x$ <b>"), "html.parser").text
    assert with_formulas(r"5 \$ and $6") == r"5 \$ and $6"


@pytest.mark.parametrize("around", ["$$%s$$", "$%s$", r"\[%s\]", r"\(%s\)", "so $%s$"])
def test_what_a_cell_displays_as_latex_is_a_formula(around):
    assert BeautifulSoup(latex_as_html(around % "x^2"), "html.parser").find("msup").text == "x2"


def test_no_formula_takes_long():
    """5,000 characters at most, and no macros: what is nested or repeated ends soon."""
    for tex in ("&" * 5000, "$" * 5000, "-1" * 2500, r"\left(" * 800, "a^{" * 1000 + "}" * 1000):
        begun = time.process_time()
        mathml(tex)
        assert time.process_time() - begun < 5, tex[:20]


@pytest.mark.skipif(not (COURSE / "lectures").is_dir(), reason="a clone of grader/ alone")
def test_every_formula_of_the_course_is_converted():
    paths = [*COURSE.glob("lectures/*.ipynb"), *COURSE.glob("solutions/*/*.ipynb")]
    count = 0
    for path in paths:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown" and "$" in cell.source:
                page = BeautifulSoup(render(cell.source, {}), "html.parser")
                count += len(page.find_all("math"))
                for code in page.find_all("code"):
                    code.decompose()
                assert "$" not in page.text and "\\" not in page.text, (path.name, page.text)
    assert count > 500 or not paths, json.dumps([path.name for path in paths])
