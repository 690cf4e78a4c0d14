"""Hostile HTML in a real browser: nothing of it runs or loads, in feedback and in Formgrader;
honest work is all there."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from nbseal.authoring.nbgrader_api import environment
from nbseal.pages.safe_html import clean, render
from nbseal.pages.safe_pictures import safe_svg
from support import hostile
from support.browser import dump_dom, needs_chromium, serving
from support.classroom import ASSIGNMENT, NOTEBOOK, PATH, Classroom
from support.hostile import PNG, SVG, honest_cells, kinds
from support.real_config import REAL_CONFIG
from support.waiting import wait_until
from traitlets.config import Config

PAGES = ("feedback", "formgrader")

# What a reader does, and more: fires every handler there is, presses every javascript link and
# every button.
READER = """<script>addEventListener("load", () => setTimeout(() => {
  for (const frame of document.querySelectorAll("form")) frame.target = "nowhere";
  for (const element of document.querySelectorAll("#notebook *")) {
    for (const { name } of [...element.attributes]) if (name.startsWith("on")) element.dispatchEvent(new Event(name.slice(2)));
    const href = element.href?.animVal ?? element.href ?? element.getAttribute("formaction");
    if (typeof href === "string" && /script:/i.test(href)) element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
}, 500))</script></body>"""


# What Formgrader tells its template.
RESOURCES = {
    "assignment_id": ASSIGNMENT,
    "notebook_id": NOTEBOOK,
    "submission_id": "1",
    "index": 0,
    "total": 1,
    "base_url": "",
    "student": "x",
    "last_name": "<script>document.title = 'ran'</script>",
    "first_name": "<b>",
    "notebook_path": "x",
}


def formgrader_config(room: Classroom) -> Config:
    """nbgrader_config.py as Formgrader's server extension reads it, and what that adds."""
    app = FormgradeExtension()
    app.load_cwd_config, app.config_dir = False, str(room.root)
    app.initialize([], root=str(room.root))
    return app.config


def formgrader_page(room: Classroom, student: str) -> str:
    """Formgrader's page of a submission, made as its handler makes it."""
    path = room.folder(student, "autograded") / f"{NOTEBOOK}.ipynb"
    return HTMLExporter(config=formgrader_config(room)).from_filename(
        str(path), resources=dict(RESOURCES)
    )[0]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of one hostile and one honest student, graded by the engine, with pages of both kinds
    on a server."""
    room = Classroom(tmp_path_factory.mktemp("hostile"), config=REAL_CONFIG)
    pages = tmp_path_factory.mktemp("pages")
    with serving(pages) as (port, asked):

        def fill_hostile(nb):
            nb.cells[1:1] = hostile.cells(port)
            nb.metadata.update(
                title="</title><script>document.title = 'ran'</script>",
                widgets={
                    "application/vnd.jupyter.widget-state+json": {
                        "state": {"</script><script>document.title = 'ran'</script>": {}},
                        "version_major": 2,
                        "version_minor": 0,
                    }
                },
            )

        room.hand_in("mallory", fill_hostile)
        room.hand_in("alice", lambda nb: nb.cells.__setitem__(slice(1, 1), honest_cells()))
        for name in ("evil.html", "picture.png"):
            (room.folder("mallory") / name).write_text(
                "<script>top.document.documentElement.dataset.ran0 = 1</script>"
            )
        done = room.autograde()
        assert done.returncode == 0, done.stderr
        done = room.nbgrader("generate_feedback", ASSIGNMENT)
        assert done.returncode == 0, done.stderr
        for student in ("mallory", "alice"):
            shutil.copy(
                room.folder(student, "feedback") / f"{NOTEBOOK}.html",
                pages / f"feedback-{student}.html",
            )
            (pages / f"formgrader-{student}.html").write_text(formgrader_page(room, student))
        yield room, pages, port, asked


def what_ran(pages: Path, name: str, port: int, asked: list[str], profile: Path) -> set[int]:
    """The numbers of the kinds that ran or loaded something in a browser; 0 for what is no kind of
    its own."""
    page = (pages / f"{name}.html").read_text()
    (pages / f"{name}-read.html").write_text(page.replace("</body>", READER))
    asked.clear()
    document = dump_dom(f"http://127.0.0.1:{port}/{name}-read.html", profile)
    ran = {
        int(number)
        for number in re.findall(r"\bdata-ran(\d+)=", document.partition(">")[0] + document[:3000])
    }
    loaded = {int(match.group(1)) for path in asked if (match := re.match(r"/hostile/(\d+)", path))}
    assert f"/{name}-read.html" in asked
    return (
        ran
        | loaded
        | ({0} if re.search(r"<title>ran</title>", document) or "/evil.html" in asked else set())
    )


@pytest.mark.slow
@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("page", PAGES)
def test_nothing_hostile_runs_or_loads(graded, page, tmp_path):
    _, pages, port, asked = graded
    names = {kind.number: kind.name for kind in kinds()}
    assert len(names) >= 30
    ran = what_ran(pages, f"{page}-mallory", port, asked, tmp_path)
    assert not ran, [names.get(number, "names and titles") for number in ran]


@pytest.mark.slow
def test_formgraders_page_fetches_nothing_from_elsewhere(graded):
    room, *_ = graded
    page = BeautifulSoup(formgrader_page(room, "alice"), "html.parser")
    fetched = [one.get("src") or one["href"] for one in page.select("script[src], link[href]")]
    assert fetched and not [place for place in fetched if "//" in place]
    assert any("MathJax = {Hub" in script.text for script in page.find_all("script"))


@pytest.mark.slow
@pytest.mark.browser
@needs_chromium
def test_nothing_hostile_runs_in_a_running_formgrader(graded, tmp_path):
    """The page as an instructor opens it, with Formgrader's own scripts at work on it."""
    room, _, _, asked = graded
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, "mallory").id
    with jupyter_server(room.root) as url:
        asked.clear()
        document = dump_dom(f"{url}/formgrader/submissions/{submission}/", tmp_path)
    assert 'id="double_test"' in document and "Submission" in document
    assert not re.findall(r"data-ran\d+=", document) and "<title>ran" not in document
    assert not [path for path in asked if "hostile" in path]


@contextlib.contextmanager
def jupyter_server(folder: Path):
    """A Jupyter server with Formgrader in it, started in a course's folder as an instructor does;
    yields its address."""
    told = folder.parent / "servers"  # where it says what port it has found
    command = [
        sys.executable,
        "-m",
        "jupyter_server",
        "--allow-root",
        "--no-browser",
        "--ServerApp.token=",
        "--ServerApp.password=",
        "--ServerApp.port=20000",
        "--ServerApp.port_retries=500",
        "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}",
    ]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment() | {"PATH": PATH, "JUPYTER_RUNTIME_DIR": str(told)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            about = told / f"jpserver-{server.pid}.json"
            yield wait_until(lambda: _answering(about), "no server answers", seconds=90)
        finally:
            server.terminate()


def _answering(about: Path) -> str | None:
    """The address of the server that has written this file, if it answers."""
    with contextlib.suppress(OSError, ValueError):
        address = f"http://127.0.0.1:{json.loads(about.read_text())['port']}"
        with urllib.request.urlopen(f"{address}/api"):
            return address
    return None


@pytest.mark.slow
@pytest.mark.browser
@needs_chromium
def test_without_the_configuration_much_of_it_runs(graded, tmp_path):
    """That the browser and its reader would have noticed."""
    room, pages, port, asked = graded
    ours = formgrader_config(room).HTMLExporter
    config = Config(
        HTMLExporter={
            "template_name": ours["template_name"],
            "extra_template_basedirs": ours["extra_template_basedirs"][1:],  # nbgrader's
        }
    )
    # Kinds that bring down nbconvert itself, or the rest of the page with them, are tried in a page
    # without each other.
    ran = set()
    for number, cells in enumerate(_survivors(hostile.cells(port))):
        html = HTMLExporter(config=config).from_notebook_node(
            new_notebook(cells=cells), resources=dict(RESOURCES)
        )[0]
        (pages / f"plain-{number}.html").write_text(html)
        ran |= what_ran(pages, f"plain-{number}", port, asked, tmp_path)
    print(f"{len(kinds())} kinds tried; without cleaning {len(ran)} ran or loaded")
    assert len(ran) >= 25


def _survivors(cells):
    """Markdown cells in pages of a few, so that one that swallows the rest of its page hides
    little."""
    cells = [
        cell
        for cell in cells
        if cell.cell_type == "markdown"
        and "attachment:" not in cell.source
        and len(cell.source) < 2000
    ]
    return [cells[start : start + 15] for start in range(0, len(cells), 15)]


@pytest.mark.parametrize("page", PAGES)
def test_no_markup_that_acts_is_left(graded, page):
    """The same without a browser: a kind that only an old browser runs is found here."""
    _, pages, _, _ = graded
    soup = BeautifulSoup((pages / f"{page}-mallory.html").read_text(), "html.parser").find(
        id="notebook"
    )
    assert len(soup.find_all("div", class_="cell")) > len(kinds())
    acting = soup.find_all(
        [
            "script",
            "iframe",
            "object",
            "embed",
            "form",
            "svg",
            "link",
            "meta",
            "base",
            "style",
            "video",
            "audio",
        ]
    )
    assert not acting, acting
    for element in soup.find_all(True):
        for name, value in element.attrs.items():
            text = " ".join(value) if isinstance(value, list) else value
            assert not name.startswith("on") and name not in (
                "srcdoc",
                "srcset",
                "action",
                "formaction",
                "ping",
                "background",
            ), element
            assert not re.search(r"(java|vb)\s*script:", text, re.IGNORECASE) or name in (
                "alt",
                "title",
            ), element
            assert name != "src" or re.match(r"data:image/|[\w ]+\.(png|jpg)$", text), element
            assert name != "style" or "url" not in text, element
    assert not soup.find(id="statusmessage") and soup.find(id="student-statusmessage")


@pytest.mark.parametrize("page", PAGES)
def test_honest_work_is_all_there(graded, page):
    _, pages, _, _ = graded
    soup = BeautifulSoup((pages / f"{page}-alice.html").read_text(), "html.parser").find(
        id="notebook"
    )
    text = soup.text
    assert soup.find("h1").text.startswith("A heading") and soup.find(
        "a", href="https://example.org/page"
    )
    assert [cell.text for cell in soup.find("table").find_all("td")] == ["(B, T)", "1 < 2"]
    formulas = [formula.text for formula in soup.find_all("math")]
    assert formulas == ["a<b", "𝐱2", "∑i<nxiσ(1)", "y=x+f(x)(1)z=1(2)", "x2"]
    # code keeps its colours and its words
    assert soup.find("span", class_="k", string="def") and 'r"\\href"' in text
    assert (
        soup.find("sub").text == "2"
        and soup.find("kbd").text == "Enter"
        and soup.find("del").text == "struck"
    )
    pictures = [picture["src"] for picture in soup.find_all("img")]
    assert pictures.count(f"data:image/png;base64,{PNG}") == 3  # attached, in the text, displayed
    assert "picture.png" in pictures and any(
        source.startswith("data:image/svg+xml;base64,") for source in pictures
    )
    assert soup.find("table", class_="dataframe").find("td")["style"].startswith("background-color")
    assert soup.find("strong", string="bold") and soup.find("span", class_="ansi-red-fg")


def test_a_picture_of_another_server_is_its_words():
    badge = "[![Open in Colab](https://example.org/badge.svg)](https://example.org/open)"
    [link] = BeautifulSoup(render(badge, {}), "html.parser").find_all("a")
    assert link["href"] == "https://example.org/open" and link.decode_contents() == "Open in Colab"
    beside = BeautifulSoup(render("![mine](mine.png)", {}), "html.parser").find("img")
    assert beside["src"] == "mine.png" and beside["alt"] == "mine"


def test_a_drawing_keeps_its_shapes_and_loses_what_acts():
    drawing = safe_svg(SVG)
    assert (
        "<path" in drawing
        and "url(#c)" in drawing
        and ">axis<" in drawing
        and "stroke-linejoin" in drawing
    )
    hostile_svg = SVG.replace(
        "<g ",
        '<script>1</script><a href="javascript:1"><text>t</text></a><g onclick="1" style="fill: url(http://a/b)" ',
    )
    assert not re.search(r"script|onclick|http://a|<a", safe_svg(hostile_svg))
    assert safe_svg("<svg>no namespace</svg>") is None and safe_svg("<svg") is None
    assert safe_svg('<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG) is None


def test_cleaning_twice_changes_nothing():
    for kind in kinds():
        if isinstance(kind.content, str):
            once = render(kind.armed(1), {})
            assert flat(clean(once)) == flat(once), kind.name


def flat(markup: str) -> list:
    """Elements with their attributes, and the text: equal for equal markup, whatever the order of
    attributes."""
    soup = BeautifulSoup(markup, "html.parser")
    return [(element.name, element.attrs) for element in soup.find_all(True)] + [soup.text]


def test_a_cell_that_cannot_be_rendered_is_shown_as_text(monkeypatch):
    assert render("![gone](attachment:gone.png)", {}) == "<p>[picture gone is missing]</p>\n"
    assert render("<b>" + "x" * 60_000, {}).startswith("<pre>&lt;b&gt;x")
    monkeypatch.setattr(MarkdownWithMath, "render", lambda self, source: {}[source])
    assert render("<b>x", {}) == "<pre>&lt;b&gt;x</pre>"
