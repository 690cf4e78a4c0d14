"""What a student may be told of this machine: nothing. Sentences about trouble lose their paths."""

from __future__ import annotations

import re

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
