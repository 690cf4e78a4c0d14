"""Answers that are kept: what each submission answered to each sealed test, and the key of its run.

In `.nbseal/answers/` of the course, for the instructor alone: with a key one can tell what the
inputs of hidden tests were. A file is one line of JSON and, behind it, the tensors; what is in it
was said by students' code, and is read as such.

Tensors are megabytes, and right ones differ from the reference's in their last bits. So what is
written is how they differ, compressed, which takes a fifth or less (examples.py).
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict, replace
from pathlib import Path

from nbformat import NotebookNode

from nbseal.files import one_at_a_time, write_whole
from nbseal.notebook.examples import (
    Tensors,
    cut,
    differences,
    example_of,
    forget_examples,
    read_example,
    tensors_of,
)
from nbseal.notebook.marks import locked
from nbseal.records import Answers, PackedAnswer, TestRecord
from nbseal.view import PRIVATE


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
    tensors = tensors_of(answers)
    example = None if answers.example is None else example_of(answers.example)
    if example is None:
        blob = b"".join(tensors.values())
    else:
        header["example"] = example.digest
        blob = zlib.compress(b"".join(differences(tensors, example.tensors)), 1)
    with one_at_a_time(path.parent):  # or two runs take each other's example away
        if example is not None:
            example.lay_beside(path)
        write_whole(path, json.dumps(header).encode() + b"\n" + blob, 0o600)
        forget_examples(path, but=header.get("example"))


def _unpacked(path: Path, header: dict, blob: bytes) -> Tensors:
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
    found = cut(sizes, blob)
    if digest is None:
        return found
    others = read_example(path, digest)
    return dict(zip(found, differences(found, others), strict=True))


def kept(path: Path, nb: NotebookNode) -> Answers | None:
    """The answers that this notebook gave; None where none are kept, or those of another."""
    try:
        with one_at_a_time(path.parent):
            return _read(path, nb)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        return None


def _read(path: Path, nb: NotebookNode) -> Answers | None:
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
