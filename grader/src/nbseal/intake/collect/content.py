"""What one student packed: which file is the notebook, and what lies beside it.

Content names files and may raise a note. It never says whose it is, or when it came.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nbseal.intake.collect.notebooks import is_notebook

TIMESTAMP = "timestamp.txt"  # nbgrader's; it is ours to write
# What people hand in in the place of a notebook, the likeliest first.
INSTEAD = (".json", ".txt", ".py", ".html", ".htm", ".pdf", ".docx", ".doc", ".odt", ".rtf", "")
LONGEST_PART = 255  # bytes of a name that a file system takes


@dataclass(frozen=True)
class Content:
    """A file that a student packed."""

    path: PurePosixPath
    bytes: Path  # where they are
    notebook: str | None  # one of the assignment's, by its name
    order: tuple  # of several tries at one notebook the largest counts


def arrange(content: Iterable[Content], notebooks: list[str]) -> tuple[dict[str, Path], list[str]]:
    """Which file goes where in a submission's folder, and notes about it; nothing where no file can
    be graded."""
    notes: list[str] = []
    tries: dict[str, list[Content]] = {}
    beside: list[Content] = []
    for one in content:
        if one.notebook:
            tries.setdefault(one.notebook, []).append(one)
        else:
            beside.append(one)
    missing = [notebook for notebook in notebooks if notebook not in tries]
    if len(missing) == 1 and (instead := _instead(beside, bool(tries))):
        tries[missing[0]] = instead
        beside = [one for one in beside if one not in instead]
    placed: dict[str, Path] = {}
    for notebook, found in tries.items():
        *others, chosen = sorted(found, key=lambda one: one.order)
        placed[f"{notebook}.ipynb"] = chosen.bytes
        notes += [f"{one.path} was left out for {chosen.path}, which is later" for one in others]
        if chosen.path.name != f"{notebook}.ipynb":
            notes.append(f"{chosen.path.name} is taken as {notebook}.ipynb")
    if not placed and not any(is_notebook(one.path.name) for one in beside):
        return {}, notes
    # a file beside a notebook keeps its place beside it
    roots = {one.path.parent for found in tries.values() for one in found}
    roots |= {one.path.parent for one in beside if is_notebook(one.path.name)}
    folders: set[str] = set()
    for one in beside:
        root = next((parent for parent in one.path.parents if parent in roots), PurePosixPath())
        place = one.path.relative_to(root)
        if str(place) == TIMESTAMP:
            notes.append(f"the student's own {TIMESTAMP} was left out")
        elif why := _clash(place, placed, folders):
            notes.append(f"{place} was left out: {why}")
        else:
            placed[str(place)] = one.bytes
            folders.update(map(str, place.parents))
    return placed, notes


def _clash(place: PurePosixPath, placed: dict[str, Path], folders: set[str]) -> str:
    """Why a file cannot lie there."""
    if any(len(part.encode()) > LONGEST_PART for part in place.parts):
        return f"its name is longer than {LONGEST_PART} bytes"
    if str(place) in placed:
        return "there is another one of this name"
    if str(place) in folders or any(str(parent) in placed for parent in place.parents):
        return "there are a file and a folder of one name"
    return ""


def _instead(beside: list[Content], is_part: bool) -> list[Content]:
    """Where no file has the notebook's name: other notebooks, else what was handed in in its place.
    is_part: whether there are other notebooks of the assignment."""
    found = [one for one in beside if is_notebook(one.path.name)]
    if found or is_part:
        return found
    ranked = [
        (INSTEAD.index(one.path.suffix.lower()), str(one.path), one)
        for one in beside
        if one.path.suffix.lower() in INSTEAD and one.path.name != TIMESTAMP
    ]
    return [min(ranked, key=lambda rank: rank[:2])[2]] if ranked else []
