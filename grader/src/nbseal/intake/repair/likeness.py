"""What the source of a cell says: the names it defines, whether it parses, how much it resembles
another."""

from functools import lru_cache

from rapidfuzz import fuzz


@lru_cache(maxsize=4096)
def normal(source: str) -> str:
    """A source without what editors change: spaces at the ends of lines, tabs, empty lines."""
    return "\n".join(line.rstrip() for line in source.expandtabs(4).split("\n") if line.strip())


def similarity(one: str, other: str, at_least: float = 0.0) -> float:
    """0 for sources that have nothing in common, 1 for the same; below `at_least` it may be 0 as
    well, which is faster."""
    return (
        fuzz.ratio(normal(one)[:20_000], normal(other)[:20_000], score_cutoff=100 * at_least) / 100
    )
