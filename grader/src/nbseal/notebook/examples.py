"""The reference's own answers of a run, of which the files of submissions hold the difference.

They lie beside each of these files, in one file for the whole run: each folder has a hard link to
it, and it goes with the last of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from nbseal.files import write_whole
from nbseal.records import Answers

MOST_EXAMPLES = 16  # that are held at a time: one for each notebook of an assignment

Tensors = Mapping[tuple[str, int], bytes]  # by the test, and the number of the answer in it


class Example:
    """The reference's answers of a run, of which the files of submissions hold the difference."""

    def __init__(self, answers: Answers):
        self.answers = answers
        self.tensors = tensors_of(answers)
        sizes = [[*place, len(tensors)] for place, tensors in self.tensors.items()]
        self.content = json.dumps(sizes).encode() + b"\n" + b"".join(self.tensors.values())
        self.digest = _digest(self.content)
        self._lies: Path | None = None  # the copy that was written last

    def lay_beside(self, path: Path) -> None:
        """Have it lie beside a file of answers: as a link to the copy that was written last."""
        place = _beside(path, self.digest)
        if not self._lies_at(place) and not self._linked(place):
            write_whole(place, self.content, 0o600)
        self._lies = place

    def _linked(self, place: Path) -> bool:
        """Make a link to that copy, where there is one and links can be had."""
        if self._lies is None or not self._lies_at(self._lies):
            return False
        try:
            os.link(self._lies, place)
        except OSError:
            return False
        return True

    def _lies_at(self, place: Path) -> bool:
        """Whether it lies there, as long as it was written."""
        try:
            return place.stat().st_size == len(self.content)
        except FileNotFoundError:
            return False


_examples: dict[int, Example] = {}  # by the id of the answers that they hold


def example_of(answers: Answers) -> Example:
    """The same for the same answers, so that it knows where it lies already."""
    if id(answers) not in _examples:
        if len(_examples) >= MOST_EXAMPLES:
            del _examples[next(iter(_examples))]
        _examples[id(answers)] = Example(answers)
    return _examples[id(answers)]


def tensors_of(answers: Answers) -> Tensors:
    return {
        (record.grade_id, number): one.tensors
        for record in answers.tests
        for number, one in enumerate(record.answers)
    }


def differences(tensors: Tensors, others: Tensors) -> Iterator[bytes]:
    """What differs bit by bit, where there are as many; from that and the others come the same
    tensors again."""
    for place, ours in tensors.items():
        theirs = others.get(place, b"")
        if len(ours) != len(theirs):
            yield ours
        elif ours == theirs:
            yield bytes(len(ours))
        else:
            bits = int.from_bytes(ours, "little") ^ int.from_bytes(theirs, "little")
            yield bits.to_bytes(len(ours), "little")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _beside(path: Path, digest: str) -> Path:
    return path.with_name(f"{path.stem}.{digest}.example")


def forget_examples(path: Path, but: str | None) -> None:
    """Take away those of this notebook's earlier runs."""
    name = re.compile(re.escape(path.stem) + r"\.([0-9a-f]{32})\.example")
    for other in path.parent.iterdir():
        found = name.fullmatch(other.name)
        if found and found.group(1) != but:
            other.unlink(missing_ok=True)


def read_example(path: Path, digest: str) -> Tensors:
    """What lies beside a file of answers. Raises ValueError where it is not what it was."""
    content = _beside(path, digest).read_bytes()
    if _digest(content) != digest:
        raise ValueError("another example")
    line, _, blob = content.partition(b"\n")
    return cut({(test, at): size for test, at, size in json.loads(line)}, blob)


def cut(sizes: Mapping[tuple[str, int], int], blob: bytes) -> Tensors:
    """Tensors of these sizes, one after the other in blob."""
    found, offset = {}, 0
    for place, size in sizes.items():
        found[place] = blob[offset : offset + size]
        offset += size
    return found
