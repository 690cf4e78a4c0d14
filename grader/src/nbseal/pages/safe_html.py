"""What students wrote, safe to look at: HTML in Formgrader and feedback without anything that acts.

nbconvert puts a student's markdown, HTML outputs and metadata into the page as they are. Here HTML
goes through the sanitiser `nh3` (ammonia) once, *after* it was rendered, so that no later step can
turn harmless text into markup again. Kept: text, tables, code, formulas as MathML, pictures that
the notebook itself carries. Gone: scripts, event handlers, styles that reach beyond their element,
forms, frames, links to anything but the web, everything that loads from elsewhere.

No tag that is kept makes a browser read what follows as anything but markup (as <style>, <title>,
<textarea> or <noscript> do), and no attribute holds a "<". So the page has the kept tags alone,
whatever tree a browser builds from them.

nbseal.configure hands the functions below to nbconvert's HTMLExporter as template filters;
nbseal.pages.safe_notebook takes care of what templates write without any filter.
"""

import html
import re
from functools import cache, lru_cache
from urllib.parse import unquote

import nh3
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.token import STANDARD_TYPES

from nbseal.pages.formulas import mathml
from nbseal.pages.safe_pictures import safe_data_url

TAGS = set(
    """a abbr b blockquote br caption center cite code col colgroup dd del details dfn div dl dt em
    figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong
    sub summary sup table tbody td tfoot th thead tr tt u ul var""".split()
)
ATTRIBUTES = {
    "*": {"title", "align", "style", "id", "class", "dir", "lang"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "td": {"colspan", "rowspan", "valign"},
    "th": {"colspan", "rowspan", "scope", "valign"},
    "table": {"border"},
    "ol": {"start", "type"},
    "li": {"value"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
}
MATH_TAGS = set(
    """math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace
    msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none""".split()
)
# mpadded has none: with a size of 0 it lays its content over what is beside it
MATH_ATTRIBUTES = set(
    """accent accentunder display displaystyle fence form largeop linethickness lspace mathcolor
    mathsize mathvariant maxsize minsize movablelimits rspace scriptlevel stretchy width""".split()
)
MATH_VALUE = re.compile(r"[a-zA-Z-]{1,20}|#[0-9a-fA-F]{3,8}|\d{1,2}(\.\d{1,4})?(em|ex|px|pt)?")
# With their content: what is in them is no text for a reader.
DROPPED = set(
    """annotation annotation-xml iframe noembed noframes noscript object plaintext script select
    style svg template textarea title xmp""".split()
)
# Those that colour and align a table; none can place an element over another or load anything.
STYLES = set(
    """background-color border border-collapse color font-style font-weight max-width padding
    padding-left padding-right text-align text-decoration vertical-align white-space
    width""".split()
)
# of code, and of pandas
CLASSES = frozenset(STANDARD_TYPES.values()) | {"highlight", "dataframe", "anchor-link"}

OWN = "student-"  # before every id of a student's, so that none is that of a part of the page
WEB = re.compile(r"(https?|mailto):", re.IGNORECASE)
# a picture that was handed in with the notebook
BESIDE = re.compile(r"[\w][\w ./()%-]*\.(png|jpe?g|gif|webp)", re.IGNORECASE)
# notebooks of an old Jupyter have it before the name of a file beside them
FILES = re.compile(r"/?files/")

# characters of markdown, without embedded pictures: nbconvert's parser takes seconds for the worst
# of them
LONGEST = 50_000
# a page of a course is the same for every student but for the answers: so many texts are kept
KEPT, LONGEST_KEPT = 256, 20_000
DATA = re.compile(r"data:image/[^\s\"')]+")


def clean(markup: str) -> str:
    """HTML without anything that acts or loads. Cleaning again changes nothing."""
    return _cleaner().clean(markup)


def clean_html(element: str | bytes) -> str:
    """The filter that nbconvert's templates put HTML through; theirs would take away pictures and
    tables."""
    return clean(element.decode("utf-8", "replace") if isinstance(element, bytes) else str(element))


def strip_files_prefix(markup: str) -> str:
    """nbconvert's runs after rendering and makes `javascript:` of `files/javascript:`; the prefix
    is gone already."""
    return markup


@pass_context
def markdown2html(context, source: str) -> str:
    """A cell's markdown as safe HTML, with its attachments."""
    attachments = (context.get("cell") or {}).get("attachments") or {}
    if attachments or len(source) > LONGEST_KEPT:
        return render(source, attachments)
    return _rendered(source)


@lru_cache(KEPT)
def _rendered(source: str) -> str:
    return render(source, {})


def render(source: str, attachments: dict) -> str:
    """Markdown as nbconvert renders it, made safe; as plain text where it cannot be rendered."""
    if len(DATA.sub("", source)) <= LONGEST:
        renderer = _Renderer(escape=False, attachments=attachments)
        try:
            return clean(MarkdownWithMath(renderer=renderer).render(source))
        except (RecursionError, ValueError, IndexError, KeyError, AttributeError, TypeError):
            pass  # whatever the parser stumbled over: one cell must not cost the page
    return f"<pre>{html.escape(source)}</pre>"


class _Renderer(IPythonRenderer):
    """nbconvert's, with formulas as MathML. A picture that is not in the notebook leaves its name
    missing, and not the whole page."""

    def block_math(self, body: str) -> str:
        return mathml(body, block=True)

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("attachment:"):
            url = unquote(url)
            if not self.attachments.get(url.removeprefix("attachment:")):
                return f"[picture {html.escape(text or url)} is missing]"
        elif _safe_source(url.strip()) is None:
            return html.escape(text or url)  # of another server, which a page does not ask
        return super().image(text, url, title)

    def block_mermaidjs(self, code: str) -> str:
        """The pages load no mermaid, so a diagram is shown as its source."""
        return f"<pre>{html.escape(code)}</pre>"


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS | MATH_TAGS,
        clean_content_tags=DROPPED,
        attributes=ATTRIBUTES | dict.fromkeys(MATH_TAGS - {"mpadded"}, MATH_ATTRIBUTES),
        attribute_filter=_safe_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        filter_style_properties=STYLES,
        link_rel="noopener noreferrer",
    )


def _safe_attribute(tag: str, name: str, value: str) -> str | None:
    """The value an attribute may have; None where it may not be there at all."""
    if name == "src":
        return _safe_source(value.strip())
    if name == "href":
        return _safe_link(value.strip())
    if name == "id":
        return value if value.startswith(OWN) else OWN + value
    if name == "class":
        return " ".join(word for word in value.split() if word in CLASSES) or None
    if name == "style":
        colours = re.sub(r"\brgba?\([\d.,% ]*\)", "", value)
        return None if re.search(r"[\\@<(]|/\*", colours) else value
    if tag in MATH_TAGS and name in MATH_ATTRIBUTES:
        return value if MATH_VALUE.fullmatch(value) else None
    if name in ("width", "height"):
        return value if re.fullmatch(r"\d{1,4}(px|%)?", value.strip()) else None
    return None if "<" in value else value


def _safe_source(url: str) -> str | None:
    """Where a picture may come from: the notebook, or a file of a plain name that was handed in
    beside it."""
    if url[:5].lower() == "data:":
        return safe_data_url(url)
    name = unquote(FILES.sub("", url, count=1))
    return name if BESIDE.fullmatch(name) and ".." not in name else None


def _safe_link(url: str) -> str | None:
    """Where a link may lead: to the web, or to a place in the student's own text; not to a file,
    which could be a page."""
    if url.startswith("#"):
        return url if url.startswith(f"#{OWN}") else f"#{OWN}{url[1:]}"
    return url if WEB.match(url) else None
