"""What the source of a cell says: the names it defines, whether it parses, how much it resembles another."""

import ast
import re
import warnings
from functools import cache, lru_cache

from rapidfuzz import fuzz

TOP_LEVEL = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.M)
LONGEST = 500_000  # characters of a cell that is parsed: a syntax tree takes a hundred times its source
LONGEST_WITH_MAGICS = 50_000  # that IPython's tokenizer is asked about
MAGIC = re.compile(r"^([ \t]*)[!%].*$", re.M)


@lru_cache(maxsize=4096)
def tree(source: str) -> ast.Module | None:
    """The syntax tree of a cell, None if Python cannot run it. Magics count as `pass`, so lines keep their numbers."""
    if len(source) > LONGEST:
        return None
    for text in dict.fromkeys((source, MAGIC.sub(r"\1pass", source))):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return None


@lru_cache(maxsize=4096)
def runs(source: str) -> bool:
    """Whether IPython can run a cell: it also knows magics that cannot be told from Python by a line's beginning."""
    return tree(source) is not None or len(source) <= LONGEST_WITH_MAGICS and tree(_plain(source)) is not None


@cache
def _transformer():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def _plain(source: str) -> str:
    try:
        return _transformer().transform_cell(source)
    except Exception:  # IPython's tokenizer meets text that no tokenizer was made for
        return source


@lru_cache(maxsize=4096)
def defines(source: str) -> frozenset[str]:
    """The names of functions, classes and variables that a cell binds at its top level."""
    parsed = tree(source)
    if parsed is None:
        return frozenset(name for pair in TOP_LEVEL.findall(source[:LONGEST]) for name in pair if name)
    return frozenset(name for statement in parsed.body for name in bound(statement))


def bound(statement: ast.stmt) -> set[str]:
    """The names that one statement binds; of imports, none."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            targets = statement.targets
        case ast.AnnAssign() | ast.AugAssign():
            targets = [statement.target]
        case _:
            return set()
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)}


@lru_cache(maxsize=4096)
def normal(source: str) -> str:
    """A source without what editors change: spaces at the ends of lines, tabs, empty lines."""
    return "\n".join(line.rstrip() for line in source.expandtabs(4).split("\n") if line.strip())


def similarity(one: str, other: str, at_least: float = 0.0) -> float:
    """0 for sources that have nothing in common, 1 for the same; below `at_least` it may be 0 as well, which is faster."""
    return fuzz.ratio(normal(one)[:20_000], normal(other)[:20_000], score_cutoff=100 * at_least) / 100
