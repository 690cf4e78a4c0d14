"""Answers that are kept: what each submission answered to each sealed test, and the key of its run.

In `.nbseal/answers/` of the course, for the instructor alone: with a key one can tell what the
inputs of hidden tests were. A file is one line of JSON and, behind it, the tensors as they came;
what is in it was said by students' code, and is read as such.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

from nbformat import NotebookNode

from nbseal.files import write_whole
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
    blobs, tests = [], []
    for record in answers.tests:
        fields = asdict(replace(record, answers=()))
        fields["answers"] = [[one.label, one.outline, len(one.tensors)] for one in record.answers]
        blobs += [one.tensors for one in record.answers]
        tests.append(fields)
    header = {
        "key": answers.key,
        "draws_with": answers.draws_with,
        "written": written(nb),
        "tests": tests,
    }
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, json.dumps(header).encode() + b"\n" + b"".join(blobs), 0o600)


def kept(path: Path, nb: NotebookNode) -> Answers | None:
    """The answers that this notebook gave; None where none are kept, or those of another."""
    try:
        line, _, blob = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        if header["written"] != written(nb):
            return None
        tests, offset = [], 0
        for fields in header["tests"]:
            answers = []
            for label, outline, size in fields["answers"]:
                answers.append(PackedAnswer(label, outline, blob[offset : offset + size]))
                offset += size
            lists = {name: tuple(fields[name]) for name in ("used", "imported")}
            tests.append(TestRecord(**(fields | lists | {"answers": tuple(answers)})))
        return Answers(header["key"], header["draws_with"], tuple(tests))
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return None
