"""Formulas as MathML, which browsers draw without a script.

latex2mathml reads the TeX. What it writes for older browsers is mended here: MathML Core has no
alphabets in bold or script, no alignment of columns, and spaces names like operators.
https://www.w3.org/TR/mathml-core/
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import Converter
from latex2mathml.symbols_parser import convert_symbol

LONGEST = 5_000  # characters of a formula; those of the course have 300 at most
KEPT = 1_024  # formulas that are remembered: a class has the same notebook
# macros may grow without end; the others make links and styles
REFUSED = re.compile(
    r"\\(def|newcommand|newenvironment|DeclareMathOperator|href|style|class)(?![a-zA-Z])"
)
DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"))
INLINE = re.compile(r"(?<![\\$])\$([^$]+?)(?<!\\)\$")
# environments that latex2mathml does not know, and what is the same here
ALIKE = {"aligned": "align*", "gathered": "matrix", "gather": "matrix", "gather*": "matrix"}
ENVIRONMENT = re.compile(r"\\(begin|end)\{(" + "|".join(map(re.escape, ALIKE)) + r")\}")
AROUND = re.compile(r"\\(begin|end)\{(equation|displaymath)\*?\}")  # changes nothing
NAME = re.compile(r"\\operatorname\*?\{([^{}]*\\[_,][^{}]*)\}")  # it knows none with a sign
# as Unicode names them
ALPHABETS = {
    "bold": ("BOLD",),
    "bold-italic": ("BOLD ITALIC", "BOLD"),
    "script": ("SCRIPT",),
    "fraktur": ("FRAKTUR", "BLACK-LETTER"),
    "double-struck": ("DOUBLE-STRUCK",),
    "sans-serif": ("SANS-SERIF",),
    "monospace": ("MONOSPACE",),
}
# what is no operator, and what is one
KINDS = {"∞": "mi", "⊤": "mi", "∅": "mi", "⟂": "mo", ":": "mo"}
SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
THIN = "0.167em"
BESIDE = set("([{.,;:!|)]}+-−=<>/")  # no space between a name and these
BARS, CLOSING = {"|", "∥", "‖"}, set(")]}⟩⌋⌉")
SIGNS, BEFORE_A_SIGN = set("+-−±"), set("([{,;:=<>≤≥≈→←/·×")


def mathml(tex: str, block: bool = False) -> str:
    """A formula as an element `math`; its source as code where it cannot be converted."""
    return _converted(tex.strip(), block) or f"<code>{html.escape(tex)}</code>"


def with_formulas(text: str) -> str:
    """Plain text as HTML, with what stands between dollar signs as formulas."""
    parts = INLINE.split(text)  # text, formula, text ...
    return "".join(mathml(part) if n % 2 else html.escape(part) for n, part in enumerate(parts))


def latex_as_html(text: str) -> str:
    """What a cell displays as LaTeX, as HTML."""
    text = text.strip()
    for begin, end in DELIMITERS:
        if text.startswith(begin) and text.endswith(end) and len(text) > len(begin + end):
            return mathml(text[len(begin) : -len(end)], block=begin in ("$$", r"\["))
    return mathml(text, block=True) if text.startswith(r"\begin") else with_formulas(text)


@lru_cache(KEPT)
def _converted(tex: str, block: bool) -> str | None:
    if len(tex) > LONGEST or REFUSED.search(tex):
        return None
    try:
        return _mathml(tex, block)
    except Exception:  # latex2mathml's own, StopIteration, IndexError, RecursionError ...
        return None


def _mathml(tex: str, block: bool) -> str | None:
    tex = ENVIRONMENT.sub(lambda found: rf"\{found[1]}{{{ALIKE[found[2]]}}}", tex)
    tex = AROUND.sub("", tex).replace(r"\tag", r"\qquad\tag")
    tex = NAME.sub(lambda found: r"\text{" + re.sub(r"\\,", " ", found[1]) + "}", tex)
    root = Converter(display="block" if block else "inline").convert_to_element(tex)
    del root.attrib["xmlns"]  # not needed in HTML
    for element in root.iter():
        _mend(element)
        if (element.text or "").startswith(("\\", "&")) and element.tag != "mtext":
            return None  # a command or an environment that it does not know
    for element in root.iter():
        _set_spaces(element)
    return tostring(root, encoding="unicode", short_empty_elements=False)


def _mend(element: Element) -> None:
    """Write an element as MathML Core has it."""
    text = html.unescape(element.text or "")
    if element.tag == "mtext":
        text = text.replace(r"\_", "_")
    if element.tag == "mo" and (code := convert_symbol(text)):  # \Big\lfloor keeps its name
        text = chr(int(code, 16))
    if element.tag in SCRIPTS and len(element) and element[0].get("minsize"):
        inner = Element("mrow")  # a large bracket grows with an index only in a row of its own
        inner.append(element[0])
        element[0] = inner
    if element.get("minsize"):
        element.set("stretchy", "true")
    if text in KINDS:
        element.tag = KINDS[text]
    variant = element.attrib.pop("mathvariant", None)
    if variant == "normal" and len(text) == 1:
        element.set("mathvariant", variant)  # one letter alone is slanted otherwise
    elif variant in ALPHABETS:
        text = "".join(_styled(letter, ALPHABETS[variant]) for letter in text)
    element.text = text
    if alignment := element.attrib.pop("columnalign", None):
        # Chromium moves what is in a cell by the second alone
        words = f"text-align: {alignment}; text-align: -webkit-{alignment}; "
        element.set("style", words + element.get("style", ""))
    if element.attrib.pop("columnspacing", "").startswith("0em"):  # of align
        for cell in element.iter("mtd"):
            if side := cell.get("columnalign"):
                cell.set("style", f"padding-{side}: 0")


def _styled(letter: str, alphabets: tuple[str, ...]) -> str:
    """A letter or a digit of one of Unicode's alphabets for mathematics."""
    name = re.sub(r"^(LATIN|GREEK) | LETTER", "", unicodedata.name(letter, ""))
    for place in [f"{area}{one} {name}" for one in alphabets for area in ("MATHEMATICAL ", "")]:
        try:
            return unicodedata.lookup(place)
        except KeyError:
            continue
    return letter


def _set_spaces(row: Element) -> None:
    """Spaces around names, signs and slashes as TeX sets them."""
    children, bars = list(row) if row.tag not in SCRIPTS else [], 0
    for number, child in enumerate(children):
        core, text = _core(child), _core(child).text or ""
        before = _core(children[number - 1]) if number and row.tag == "mrow" else None
        if core.tag in ("mi", "mo") and len(text) > 1 and text.isalpha():
            after = _core(children[number + 1]) if children[number + 1 :] else None
            core.tag = "mo"
            core.set("lspace", "0" if before is None or before.tag == "mo" else THIN)
            core.set("rspace", "0" if after is None or (after.text or "x")[0] in BESIDE else THIN)
        elif text in BARS or (text in CLOSING and core is not child):
            core.set("form", "prefix" if text in BARS and bars % 2 == 0 else "postfix")
            bars += text in BARS
        elif text == "/":
            core.attrib |= {"lspace": "0", "rspace": "0"}
        elif text in SIGNS and before is not None and (before.text or "x")[-1] in BEFORE_A_SIGN:
            core.set("form", "prefix")


def _core(element: Element) -> Element:
    """What an element is about, without its indices."""
    while len(element) and (
        element.tag in SCRIPTS or (element.tag == "mrow" and len(element) == 1)
    ):
        element = element[0]
    return element
