"""The site as somebody reads it: at a desk and on a phone, by eye and by screen reader, with no
network."""

import json
import os
import re
from functools import cache
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup

from tests.site.reader import WIDTHS

# Formulas and code are where these signs may stand.
RAW = re.compile(r"\$\$|\\\(|\\\[|\\begin\{|\$[^$\n]+\$")
BOTH = pytest.mark.parametrize("device", WIDTHS)
# What a page says without its code, and without what MathJax keeps for screen readers.
WORDS = """
    const page = document.body.cloneNode(true);
    page.querySelectorAll("pre, code, script, style, mjx-container").forEach(each => each.remove());
    return page.textContent;
"""
CODE_IS_SEEN = "return arguments[0].parentElement.querySelector('pre').checkVisibility()"
CUT_OFF = """
    const right = document.documentElement.clientWidth + 1;
    const scrolls = element => {
      for (let box = element; box; box = box.parentElement) {
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) return true;
      }
      return false;
    };
    return [...document.querySelectorAll(".bd-article *")].filter(
      element => element.getBoundingClientRect().right > right && !scrolls(element)
    ).slice(0, 5).map(element => element.outerHTML.slice(0, 200));
"""


def test_it_is_made_without_a_warning_and_says_where_it_is(made, pages):
    assert made.returncode == 0 and not made.stderr.strip(), made.stderr[-5000:]
    assert re.fullmatch(r"\d+ pages in \d+ s: open \S+/index\.html\n", made.stdout)
    assert {"index.html", "search.html", "docs/student.html"} < set(pages)


def test_every_notebook_is_a_page_and_can_be_downloaded_as_it_is(real, site):
    notebooks = [*real.root.glob("lectures/*.ipynb"), *real.root.glob("exercises/*/*.ipynb")]
    for notebook in notebooks:
        page = site / notebook.relative_to(real.root).with_suffix(".html")
        [link] = parsed(page).select("a[download]")
        assert "Download notebook" in link.text
        assert (page.parent / link["href"]).resolve().read_bytes() == notebook.read_bytes()


def test_nothing_of_the_solutions_is_in_it(real, site):
    texts = [path.read_text(encoding="utf-8") for path in site.rglob("*.ipynb")]
    texts += [path.read_text(encoding="utf-8") for path in site.glob("exercises/**/*.html")]
    assert len(texts) >= 8
    for text in texts:
        assert "BEGIN HIDDEN" not in text and "BEGIN SOLUTION" not in text


def test_every_link_leads_somewhere(site, pages):
    dead = []
    for page in pages:
        for address in addresses(parsed(site / page)):
            if re.match(r"(\w+:|//)", address):
                assert not address.startswith("file:"), (page, address)
                continue
            path, _, fragment = address.partition("#")
            target = (site / page).parent / unquote(path.partition("?")[0]) if path else site / page
            if not target.resolve().is_file() or (
                fragment
                and target.suffix == ".html"
                and unquote(fragment) not in identities(target.resolve())
            ):
                dead.append((page, address))
    assert not dead


def test_no_link_and_no_picture_is_left_as_a_sign(site, pages):
    for page in set(pages) - {"search.html"}:
        article = parsed(site / page).select_one("article")
        words = [text for text in article.find_all(string=True) if not text.find_parent("code")]
        words = [text for text in words if not text.find_parent("pre")]
        assert not re.search(r"\]\(|!\[", "".join(words)), page


def test_titles_can_be_read_in_the_navigation(real, site):
    titles = [link.text.strip() for link in parsed(site / "index.html").select(".bd-links a")]
    for notebook in sorted(real.root.glob("lectures/*.ipynb")):
        number = notebook.stem[:2]
        assert any(title.startswith(f"{number} ") for title in titles)
        assert any(title.startswith(f"Exercise {number} ") for title in titles)
    assert not [title for title in titles if re.search(r"[$`\\_]|\.ipynb", title)]


@BOTH
def test_pages_fit_and_show_formulas_and_described_figures(reader, pages, device):
    wrong = []
    for page in pages:
        reader.open(page, device)
        wide = reader.ask("return document.documentElement.scrollWidth - window.innerWidth")
        problems = {
            "scrolls sideways": max(wide, 0),
            "is cut off": reader.ask(CUT_OFF),
            "raw formulas": RAW.findall(reader.ask(WORDS)),
            "formulas that MathJax refused": reader.ask(
                "return [...document.querySelectorAll('mjx-merror, [data-mml-node=merror]')]"
                ".map(each => each.textContent)"
            ),
            "formulas that are not set": reader.ask(
                "return [...document.querySelectorAll('.math')]"
                ".filter(each => !each.querySelector('mjx-container'))"
                ".map(each => each.textContent)"
            ),
            "figures without a description": reader.ask(
                "return [...document.querySelectorAll('img')]"
                ".filter(each => !each.alt.trim()).map(each => each.src)"
            ),
            "pictures that are missing": reader.ask(
                "return [...document.querySelectorAll('img')]"
                ".filter(each => each.complete && !each.naturalWidth).map(each => each.src)"
            ),
            "fetched from elsewhere": reader.ask(
                "return performance.getEntriesByType('resource').map(each => each.name)"
                ".filter(name => !name.startsWith('file:') && !name.startsWith('data:'))"
            ),
        }
        wrong += [(page, problem, what) for problem, what in problems.items() if what]
    assert not wrong


@BOTH
def test_the_first_screen_sells_the_course(reader, device):
    reader.open("index.html", device)
    buttons = reader.browser.driver.find_elements("css selector", ".start-button")
    assert len(buttons) == 1 and "lecture 01" in buttons[0].text
    seen = {
        what: reader.ask(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.top, box.bottom, window.innerHeight]",
            selector,
        )
        for what, selector in (("button", ".start-button"), ("picture", ".start img"))
    }
    for what, (top, bottom, height) in seen.items():
        assert top >= 0 and bottom <= height, f"the {what} is below the first screen"
    buttons[0].click()
    assert reader.ask("return document.querySelector('h1').innerText").startswith("01")


def test_folded_code_unfolds_on_a_click(reader, real):
    for page, shown in (
        ("lectures/02_layer_norm.html", "find or fetch the course's files"),
        ("exercises/02_layer_norm/layer_norm.html", "Check: layer norm by hand"),
    ):
        reader.open(page)
        summary = reader.browser.see("details.hide > summary", shown)
        assert not reader.ask(CODE_IS_SEEN, summary)
        reader.browser.show(summary)
        summary.click()
        reader.browser.until("the code to unfold", lambda s=summary: reader.ask(CODE_IS_SEEN, s))


def test_a_section_is_reached_from_the_contents(reader, site):
    page = "lectures/02_layer_norm.html"
    links = [a["href"] for a in parsed(site / page).select(".bd-toc a[href^='#']")]
    assert len(links) > 5
    reader.open(page + links[5])
    top = reader.ask(
        "return document.getElementById(decodeURIComponent(arguments[0]))"
        ".getBoundingClientRect().top",
        links[5][1:],
    )
    assert -5 < top < 400


@BOTH
def test_search_finds_batch_norm(reader, device):
    reader.open("search.html?q=batch+norm", device)
    found = reader.browser.until(
        "results of the search",
        lambda: [
            link.text
            for link in reader.browser.driver.find_elements("css selector", "#search-results li a")
        ],
    )
    assert any("Batch norm" in title for title in found[:4]), found


@BOTH
def test_axe_finds_nothing(reader, pages, axe, device):
    """axe-core's rules for WCAG 2.1 A and AA, and its best practices."""
    found = []
    for page in pages:
        reader.open(page, device)
        reader.ask(axe)
        result = reader.browser.driver.execute_async_script(
            # The drawing of a formula is hidden from screen readers, which get MathML.
            """
            const done = arguments[0];
            axe.run({exclude: "mjx-container svg"}, {resultTypes: ["violations"]}).then(done, done);
            """
        )
        found += [
            (page, rule["id"], rule["impact"], rule["nodes"][0]["html"][:300], len(rule["nodes"]))
            for rule in result["violations"]
        ]
    if folder := os.environ.get("AXE_REPORT"):
        with open(f"{folder}/axe-{device}.json", "w") as file:
            json.dump(found, file, indent=1)
    assert not found


@cache
def parsed(page) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def addresses(page: BeautifulSoup) -> set[str]:
    """Everything that a page refers to."""
    return {
        element[attribute]
        for attribute in ("href", "src")
        for element in page.select(f"[{attribute}]")
        if element[attribute] not in ("", "#")
    }


@cache
def identities(page) -> set[str]:
    """The places in a page that a link can lead to."""
    return {each["id"] for each in parsed(page).select("[id]")}
