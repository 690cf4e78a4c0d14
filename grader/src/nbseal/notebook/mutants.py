"""How mutants of the reference solution answer visible checks: `nbseal mutants` notes it in
`.nbseal/mutants/` of the course, and a report names the mutant that answers as students did."""

from __future__ import annotations

import json
from pathlib import Path

from nbseal.view import PRIVATE


def mutants_of(root: Path, assignment: str) -> Path:
    """Where it is noted: question -> mutant."""
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
