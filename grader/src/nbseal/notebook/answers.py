"""Answers that are kept: what each submission answered to each sealed test, and the key of its run.

In `.nbseal/answers/` of the course, for the instructor alone: with a key one can tell what the
inputs of hidden tests were. A file is one line of JSON and, behind it, the tensors; what is in it
was said by students' code, and is read as such.

Tensors are megabytes, and right ones differ from the reference's in their last bits. So what is
written is how they differ, compressed, which takes a fifth or less. The reference's own answers lie
beside them, in one file for all submissions of a run: each folder has a hard link to it, and it
goes with the last of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from nbformat import NotebookNode

from nbseal.files import write_whole
from nbseal.notebook.marks import locked
from nbseal.records import Answers, PackedAnswer, TestRecord
from nbseal.view import PRIVATE

MOST_EXAMPLES = 16  # that are held at a time: one for each notebook of an assignment


def place_of(root: Path, assignment: str, student: str, notebook: str) -> Path:
    """Where the answers of a submitted notebook are kept."""
    return root / PRIVATE / "answers" / assignment / student / f"{notebook}.answers"


def mutants_of(root: Path, assignment: str) -> Path:
    """Where `nbseal mutants` keeps how mutants answer visible checks: question -> mutant."""
    return root / PRIVATE / "mutants" / f"{assignment}.json"


def known_mutants(path: Path) -> dict[str, str]:
    """What `nbseal mutants` has found; nothing where it was never called."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def question(test: str, label: str, answer: str) -> str:
    """A check and an answer to it, as one text."""
    return json.dumps([test, label, answer])


def written(nb: NotebookNode) -> str:
    """What the student wrote into a notebook, in a few characters."""
    sources = [cell.source for cell in nb.cells if cell.cell_type == "code" and not locked(cell)]
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()[:16]


class Example:
    """The reference's answers of a run, of which the files of submissions hold the difference."""

    def __init__(self, answers: Answers):
        self.answers = answers
        self.tensors = _tensors(answers)
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


def _example_of(answers: Answers) -> Example:
    if id(answers) not in _examples:
        if len(_examples) >= MOST_EXAMPLES:
            del _examples[next(iter(_examples))]
        _examples[id(answers)] = Example(answers)
    return _examples[id(answers)]


def keep(path: Path, answers: Answers, nb: NotebookNode) -> None:
    """Write a file, for its owner's eyes; whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    tests = []
    for record in answers.tests:
        fields = asdict(replace(record, answers=()))
        fields["answers"] = [[one.label, one.outline, len(one.tensors)] for one in record.answers]
        tests.append(fields)
    header: dict = {
        "key": answers.key,
        "draws_with": answers.draws_with,
        "written": written(nb),
        "tests": tests,
    }
    tensors = _tensors(answers)
    if answers.example is None:
        blob = b"".join(tensors.values())
    else:
        example = _example_of(answers.example)
        example.lay_beside(path)
        header["example"] = example.digest
        blob = zlib.compress(b"".join(_differences(tensors, example.tensors)), 1)
    write_whole(path, json.dumps(header).encode() + b"\n" + blob, 0o600)
    _forget_examples(path, but=header.get("example"))


def _tensors(answers: Answers) -> dict[tuple[str, int], bytes]:
    """(test, number of the answer) -> its tensors."""
    return {
        (record.grade_id, number): one.tensors
        for record in answers.tests
        for number, one in enumerate(record.answers)
    }


def _differences(
    tensors: Mapping[tuple[str, int], bytes], others: Mapping[tuple[str, int], bytes]
) -> Iterator[bytes]:
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


def _forget_examples(path: Path, but: str | None) -> None:
    """Take away those of this notebook's earlier runs."""
    name = re.compile(re.escape(path.stem) + r"\.([0-9a-f]{32})\.example")
    for other in path.parent.iterdir():
        found = name.fullmatch(other.name)
        if found and found.group(1) != but:
            other.unlink(missing_ok=True)


_read: dict[str, dict[tuple[str, int], bytes]] = {}  # examples, by their digest


def _example_beside(path: Path, digest: str) -> dict[tuple[str, int], bytes]:
    """The tensors of an example. Raises ValueError for one that is not what it was."""
    if digest not in _read:
        content = _beside(path, digest).read_bytes()
        if _digest(content) != digest:
            raise ValueError("another example")
        line, _, blob = content.partition(b"\n")
        if len(_read) >= MOST_EXAMPLES:
            del _read[next(iter(_read))]
        _read[digest] = _cut({(test, at): size for test, at, size in json.loads(line)}, blob)
    return _read[digest]


def _cut(sizes: Mapping[tuple[str, int], int], blob: bytes) -> dict[tuple[str, int], bytes]:
    found, offset = {}, 0
    for place, size in sizes.items():
        found[place] = blob[offset : offset + size]
        offset += size
    return found


def _unpacked(path: Path, header: dict, blob: bytes) -> dict[tuple[str, int], bytes]:
    """The tensors of a file of answers. Raises ValueError, or OSError where its example is gone."""
    sizes = {
        (fields["grade_id"], number): size
        for fields in header["tests"]
        for number, (_, _, size) in enumerate(fields["answers"])
    }
    digest = header.get("example")
    if digest is not None:
        whole = sum(sizes.values())
        stream = zlib.decompressobj()
        blob = stream.decompress(blob, whole + 1)
        if len(blob) != whole or not stream.eof:
            raise ValueError("more or less than was written")
    found = _cut(sizes, blob)
    if digest is None:
        return found
    others = _example_beside(path, digest)
    return dict(zip(found, _differences(found, others), strict=True))


def kept(path: Path, nb: NotebookNode) -> Answers | None:
    """The answers that this notebook gave; None where none are kept, or those of another."""
    try:
        line, _, blob = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        if header["written"] != written(nb):
            return None
        tests, tensors = [], _unpacked(path, header, blob)
        for fields in header["tests"]:
            answers = [
                PackedAnswer(label, outline, tensors[fields["grade_id"], number])
                for number, (label, outline, _) in enumerate(fields["answers"])
            ]
            lists = {name: tuple(fields[name]) for name in ("used", "imported")}
            tests.append(TestRecord(**(fields | lists | {"answers": tuple(answers)})))
        return Answers(header["key"], header["draws_with"], tuple(tests))
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError, zlib.error):
        return None
