"""Which notebook a file is, by the name that its student gave it, such as `Copy of tiny (1)`."""

import re
import unicodedata
from collections.abc import Iterable

ENDINGS = (".ipynb.txt", ".ipynb.json", ".ipynb.zip", ".ipynb")
PREFIX = re.compile(r"^(?:copy of|copie de|kopie von|copia de|kopia|copy)[\s_-]+", re.I)
SUFFIX = re.compile(
    r"(?:\s?[(\[]\s?\d+\s?[)\]]|[\s_-](?:copy|kopie|copie|copia)\s?\d*|"
    r"[\s_-](?:final|solution|solved|submission|v\d+)|-\d+)$",
    re.I,
)
LONGEST = 255  # characters; no file system has longer names


def is_notebook(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def stem_of(name: str) -> str:
    for ending in ENDINGS:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name.rpartition(".")[0] or name


def key(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text).lower()


def notebook_in(stem: str, notebooks: Iterable[str]) -> tuple[str | None, int, str]:
    """The notebook that a file's name ends with, the number of the copy, and what stands before
    it."""
    if len(stem) > LONGEST:
        return None, 0, ""
    text, copy = re.sub(r"\s+", " ", unicodedata.normalize("NFC", stem)).strip(), 0
    while (shorter := SUFFIX.sub("", text)) != text and not any(
        key(text) == key(name) for name in notebooks
    ):
        digits = re.search(r"\d+", text[len(shorter) :])
        copy = max(copy, int(digits.group()[:6]) if digits else 1)
        text = shorter.strip()
    while (shorter := PREFIX.sub("", text)) != text:
        text = shorter.strip()
    for name in sorted(notebooks, key=len, reverse=True):
        pattern = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
        found = re.fullmatch(
            rf"(?:(?P<who>.*?)[\s_-]+)?(?:\d\d[\s_-])?{pattern}(?:[\s_-]+(?P<after>.+))?",
            text,
            re.I,
        )
        if found:
            who = found["who"] or found["after"] or ""
            return name, copy, PREFIX.sub("", who).strip(" _-")
    return None, copy, ""
