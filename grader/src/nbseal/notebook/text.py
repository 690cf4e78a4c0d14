"""Text that crosses a border: a student's, made fit for a terminal or a log; ours, without paths of
this machine, fit for a student."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Unicode's categories of what is not seen but acts: control characters, escape sequences among
# them; marks that turn the direction of writing; halves of surrogate pairs; private and unassigned
# characters.
ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
LONGEST = 2000


def plain(text: object, longest: int = LONGEST) -> str:
    """One line without anything that a terminal would act on, at most so many characters long."""
    shown = str(text)[: longest + 1]
    line = "".join(_plain(character) for character in shown).strip()
    return line if len(shown) <= longest else f"{line[: longest - 1]}…"


def _plain(character: str) -> str:
    if character in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in ACTING else character


_QUOTED = re.compile(r"""(?P<quote>['"`])(?P<path>/[^'"`\n]*)(?P=quote)""")
_PLAIN = re.compile(r"(?<![\w.:/~-])/[\w.+@~-][\w.+@~/-]*")


def without_paths(text: str) -> str:
    """A sentence in which every path of this machine is its last name alone."""
    text = _QUOTED.sub(
        lambda found: f"{found['quote']}{_name(found['path'])}{found['quote']}", text
    )
    return _PLAIN.sub(lambda found: _name(found[0]), text)


def _name(path: str) -> str:
    """The last name of a path, with the punctuation that follows it in a sentence."""
    return path.rstrip("/").rpartition("/")[2]


SHOWN = 5


def some_of(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    students = list(names)
    more = len(students) - SHOWN
    return ", ".join(students[:SHOWN]) + (f" and {more} more" if more > 0 else "")
