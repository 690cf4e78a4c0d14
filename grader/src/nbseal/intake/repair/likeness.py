"""What the source of a cell says: the names it defines, whether it parses, how much it resembles
another."""

from functools import lru_cache

from rapidfuzz import fuzz

LONGEST = 20_000  # characters of a source that are compared: it takes the product of two lengths
KEPT = 20_000  # characters of a source whose normal form is kept for the next who asks


def normal(source: str) -> str:
    """A source without what editors change: spaces at the ends of lines, tabs, empty lines."""
    return _kept(source) if len(source) <= KEPT else _normal(source)


@lru_cache(maxsize=2048)
def _kept(source: str) -> str:
    return _normal(source)


def _normal(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.expandtabs(4).split("\n") if line.strip())


def similarity(one: str, other: str, at_least: float = 0.0, longest: int = LONGEST) -> float:
    """0 for sources that have nothing in common, 1 for the same; below `at_least` it may be 0 as
    well, which is faster. longest: characters of each that are compared."""
    left, right = normal(one)[:longest], normal(other)[:longest]
    return fuzz.ratio(left, right, score_cutoff=100 * at_least) / 100


def longest_compared(pieces: int) -> int:
    """How much of each of so many pieces can be compared with every released cell in seconds."""
    return max(500, min(LONGEST, 200_000 // max(1, pieces)))
