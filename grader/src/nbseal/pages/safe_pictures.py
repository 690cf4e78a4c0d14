"""Pictures from students: the bytes must be of the format they claim, and a drawing must only draw.

A browser runs no script in an `<img>` and loads nothing for it, but people open pictures in a tab
of their own.
"""

import base64
import binascii
import re
from xml.etree.ElementTree import Element, ParseError, register_namespace, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

SIGNATURES = {
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/jpeg": rb"\xff\xd8\xff",
    "image/gif": rb"GIF8[79]a",
    "image/webp": rb"RIFF....WEBP",
}
DRAWING = "image/svg+xml"

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ELEMENTS = set(
    [
        "svg",
        "g",
        "defs",
        "symbol",
        "use",
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "text",
        "tspan",
        "textPath",
        "clipPath",
        "mask",
        "pattern",
        "marker",
        "linearGradient",
        "radialGradient",
        "stop",
        "image",
        "title",
        "desc",
        "style",
    ]
)
ACTIVE_STYLE = re.compile(
    r"@|\\|expression|javascript:|url\s*\(\s*['\"]?\s*(?!['\"#])", re.IGNORECASE
)

register_namespace("", SVG)
register_namespace("xlink", XLINK)


def safe_picture(mime: str, data: str) -> str | None:
    """The data of an output or an attachment of a type of picture, made safe: base64, for SVG its
    text; None if it is none."""
    if mime == DRAWING:
        return safe_svg(data)
    if mime not in SIGNATURES:
        return None
    content = _decoded(data)
    if content is None or not re.match(SIGNATURES[mime], content, re.DOTALL):
        return None
    return base64.b64encode(content).decode()


def safe_data_url(url: str) -> str | None:
    """A `data:` URL with a picture in base64, made safe."""
    match = re.fullmatch(r"data:(image/[a-z+]+);base64,(.*)", url, re.IGNORECASE | re.DOTALL)
    if not match:
        return None
    mime = match.group(1).lower()
    if mime != DRAWING:
        data = safe_picture(mime, match.group(2))
        return f"data:{mime};base64,{data}" if data else None
    drawing = _decoded(match.group(2))
    cleaned = safe_svg(drawing.decode("utf-8", "replace")) if drawing else None
    return svg_data_url(cleaned) if cleaned else None


def svg_data_url(drawing: str) -> str:
    """An SVG as the source of an `<img>`."""
    return f"data:{DRAWING};base64,{base64.b64encode(drawing.encode()).decode()}"


def safe_svg(text: str) -> str | None:
    """An SVG of shapes, text and embedded pictures alone; None where it is no SVG, or one with
    entities."""
    try:
        root = fromstring(re.sub(r"<!DOCTYPE[^>\[]*>", "", text, count=1).strip())
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        return None
    if root.tag != f"{{{SVG}}}svg":
        return None
    _keep_shapes(root)
    return tostring(root, encoding="unicode")


def _keep_shapes(root: Element) -> None:
    """Drop, in the whole tree, elements that are no shapes and attributes that act."""
    open_elements = [root]
    while open_elements:
        element = open_elements.pop()
        for name, value in list(element.attrib.items()):
            if not _is_harmless(name, value):
                del element.attrib[name]
        for child in list(element):
            namespace, _, local = child.tag.rpartition("}")
            act = local == "style" and (len(child) or ACTIVE_STYLE.search(child.text or ""))
            if namespace != f"{{{SVG}" or local not in ELEMENTS or act:
                _remove(element, child)
            else:
                open_elements.append(child)


def _remove(parent: Element, child: Element) -> None:
    """Take out an element and leave the text after it."""
    children = list(parent)
    place = children.index(child)
    if child.tail and place:
        children[place - 1].tail = (children[place - 1].tail or "") + child.tail
    elif child.tail:
        parent.text = (parent.text or "") + child.tail
    parent.remove(child)


def _is_harmless(name: str, value: str) -> bool:
    local = name.rpartition("}")[2].lower()
    if local == "href":
        value = value.strip()
        return value.startswith("#") or (
            safe_data_url(value) is not None and DRAWING not in value[:30].lower()
        )
    return (
        not local.startswith("on")
        and local not in ("src", "base")
        and not ACTIVE_STYLE.search(value)
    )


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
