"""The Python of a notebook's cell, and the names it binds and reads.

Every part of the grader that reads what a student wrote reads it here: one bound on its length, one
idea of what a magic is, one pass over the text. IPython's own way from a cell to Python takes a
pass for each magic in it, so it is only asked about the instructor's cells (`parse`).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

# characters of a cell that is read: a syntax tree takes some five hundred times its source
LONGEST = 100_000
KEPT = 10_000  # characters of a cell whose tree is kept for the next who asks
# What stands for a magic or a shell line: one that runs code of its own, and any other.
RUNS_CODE, HARMLESS = "get_ipython()", "__magic__()"
_RUNS_CODE = re.compile(
    r"%%?(?:run|load|loadpy|cython|cell|ipython|edit|ed|recall|rep|rerun|macro|alias|alias_magic"
    r"|rehashx)\b"
)
# A cell of one line that begins with the name of a magic is that magic, and not Python.
_ONE_WORD = re.compile(r"([^\W\d]\w*+)[ \t]*+(?![=,.])")
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
# Errors of IPython's own, on the few texts that it cannot read.
_IPYTHONS_OWN = (IndexError, KeyError, TypeError, AttributeError, AssertionError, RuntimeError)
# What ends a line for IPython, which then looks for a magic, and does not for Python.
_OTHER_ENDS = re.compile(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# A backslash, which may escape nothing, and a keyword right behind a number.
_WARNED_OF = re.compile(r"\\|(?:[\d.][jJ]?|0[xX][\da-fA-F_]+)(?:and|else|for|if|in|is|not|or)\b")
_ESCAPED = re.compile(r"[ \t]*+(?:[!%?/,;]|[^\n'\"#]*\?[ \t]*(?:\n|\Z))")
_ASSIGNED = re.compile(r"([ \t]*\w[\w.,\[\] \t]*=[ \t]*)([!%])(?!=)")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
# The next thing on a line that matters to where it ends.
_TOKEN = re.compile(
    r"[^'\"#()\[\]{}\\\n]*(\"\"\"|'''|['\"]|#[^\n]*|[()\[\]{}]|\\.|\\?\n|\\?\Z)", re.S
)
_STRING = {
    quote: re.compile(rf"(?:[^\\{quote[0]}{line}]|\\.|{inner})*+(?:{quote}|(?=\n)|\Z)", re.S)
    for quote, line, inner in (
        ("'", r"\n", "(?!)"),
        ('"', r"\n", "(?!)"),
        ("'''", "", "'(?!'')"),
        ('"""', "", '"(?!"")'),
    )
}


def python_of(source: str) -> str:
    """A cell with a call in the place of each magic and shell line; lines keep their numbers."""
    if _is_automagic(source):
        return _without_magic(f"%{source.strip()}\n")
    if not re.search(r"[!%?/,;]", source):
        return source
    if _hides_a_magic(source):
        return RUNS_CODE + "\n" * source.count("\n")
    lines = _logical_lines(source)
    return "".join(_without_magic(line) if is_magic else line for line, is_magic in lines)


def _is_automagic(source: str) -> bool:
    line = source.strip()
    word = _ONE_WORD.match(line)
    return word is not None and len(line.splitlines()) == 1 and word.group(1) in _magics()


@lru_cache(maxsize=1)
def _magics() -> frozenset[str]:
    """The names of IPython's line magics."""
    from inspect import getmembers

    from ipykernel.zmqshell import KernelMagics
    from IPython.core import magics
    from IPython.core.alias import default_aliases

    groups = [KernelMagics, *(group for _, group in getmembers(magics))]
    names = {name for group in groups for name in getattr(group, "magics", {}).get("line", ())}
    return frozenset(names | {name for name, _ in default_aliases()} | {"ed", "hist", "rep"})


def _hides_a_magic(source: str) -> bool:
    """Whether a line begins with one that is none for Python."""
    begun = _OTHER_ENDS.split(source)[1:] if _OTHER_ENDS.search(source) else ()
    return any(_ESCAPED.match(line) or _ASSIGNED.match(line) for line in begun)


def runs_as_it_stands(source: str) -> bool:
    """Whether IPython hands a cell to Python letter by letter, but for blanks at its end.

    It reads lines of its own: prompts are taken away, also within a text, and a cell is moved to
    the left. One pass over the cell tells, however many magics there are."""
    odd = _OTHER_ENDS.search(source) or _is_automagic(source.replace(".", " "))
    if odd or python_of(source) != source:
        return False
    transformer = _transformer()
    source = source.strip("\n")
    lines = source.splitlines(keepends=True)
    try:
        for change in (*transformer.cleanup_transforms, *transformer.line_transforms):
            lines = change(lines)
        changed, _ = transformer.do_one_token_transform(lines)
    except _IPYTHONS_OWN:
        return False
    return not changed and "".join(lines).rstrip() == source.rstrip()


def has_no_magic(text: str) -> bool:
    """Whether IPython, once it has taken prompts and indentation away, finds nothing of its own.

    Python holds none of its signs, where a line ends for both at the same places. What Python warns
    of while it reads is left to IPython: to catch a warning makes Python forget which it has
    shown."""
    if _OTHER_ENDS.search(text) or _WARNED_OF.search(text):
        return False
    try:
        ast.parse(text)
    except _NO_PYTHON:
        return False
    return True


def _without_magic(line: str) -> str:
    assigned = _ASSIGNED.match(line)
    begin = assigned.group(1) if assigned else line[: len(line) - len(line.lstrip(" \t"))]
    call = RUNS_CODE if _RUNS_CODE.match(line[len(begin) :]) else HARMLESS
    return begin + call + "\n" * line.count("\n")


def _logical_lines(source: str) -> Iterator[tuple[str, bool]]:
    """The logical lines of a cell, and whether each is a magic or a shell line."""
    at, end = 0, len(source)
    while at < end:
        begin = at
        if _ESCAPED.match(source, at) or _ASSIGNED.match(source, at):
            at = _end_of_magic(source, at)
            yield source[begin:at], True
        else:
            at = _end_of_statement(source, at)
            yield source[begin:at], False


def _end_of_magic(source: str, at: int) -> int:
    """A magic ends with its line, or with the last of the lines that a backslash joins."""
    while True:
        line = _LINE.match(source, at)
        assert line
        at = line.end()
        if not line.group().endswith("\\\n") or at >= len(source):
            return at


def _end_of_statement(source: str, at: int) -> int:
    """The end of the last line of what begins here: brackets and strings may hold line breaks."""
    depth = 0
    while at < len(source):
        token = _TOKEN.match(source, at)
        assert token
        what, at = token.group(1), token.end()
        if what in _STRING:
            string = _STRING[what].match(source, at)
            at = string.end() if string else len(source)
        elif what in ("(", "[", "{"):
            depth += 1
        elif what in (")", "]", "}"):
            depth -= 1
        elif what == "\n" and depth <= 0:
            return at
    return at


def tree(source: str) -> ast.Module | None:
    """The syntax tree of a cell; None if it is no Python, or too long to be read."""
    if len(source) > LONGEST:
        return None
    return _kept(source) if len(source) <= KEPT else _long(source)


@lru_cache(maxsize=512)
def _kept(source: str) -> ast.Module | None:
    return _read(source)


@lru_cache(maxsize=1)  # several readers ask for it, one after the other
def _long(source: str) -> ast.Module | None:
    return _read(source)


def _read(source: str) -> ast.Module | None:
    text = python_of(source)
    parsed = _parsed(text)
    if parsed is None and re.match(r"\s*%%", source):
        return _parsed(HARMLESS)  # the rest is another language's
    return parsed


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except _NO_PYTHON:
        return None


def runs(source: str) -> bool:
    """Whether IPython can run a cell, as far as its syntax tells."""
    return tree(source) is not None


def parse(source: str) -> ast.Module:
    """The syntax tree of an instructor's cell, with the line numbers that it has when IPython runs
    it. Raises SyntaxError."""
    return ast.parse(as_python(source))


@lru_cache(maxsize=256)  # every reader of an assignment asks for the same cells
def as_python(source: str) -> str:
    """An instructor's cell as IPython hands it to Python: magics and shell lines become calls,
    empty lines at the top are gone.

    Raises SyntaxError, also for the few texts on which IPython fails with errors of its own.
    """
    # IPython changes no Python, but for a prompt that reads like a variable of some type
    if source[:1].strip() and not source.startswith("In [") and _parsed(source) is not None:
        return source if source.endswith("\n") else source + "\n"
    try:
        return _transformer().transform_cell(source)
    except _IPYTHONS_OWN as error:
        raise SyntaxError(f"IPython cannot read this cell ({type(error).__name__})") from None


@lru_cache(maxsize=1)
def _transformer():
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager()


def escaping_names(cells: Sequence[tuple[str, str, bool]]) -> list[tuple[str, str, str]]:
    """Names that a sealed cell binds and a later cell reads: (sealed cell, name, later cell).

    cells: (name of the cell, source, whether it will be sealed) in the order of the notebook. A
    sealed cell runs in a process of its own, so nothing it binds reaches a later cell.
    """
    escaped: dict[str, str] = {}
    found = []
    for cell, source, sealed in cells:
        try:
            parsed = parse(source)
        except SyntaxError:
            continue
        names = bound_names(parsed)
        for name in sorted(read_before_bound(parsed) & escaped.keys()):
            found.append((escaped[name], name, cell))
        if sealed:
            escaped |= dict.fromkeys(names, cell)
        else:
            escaped = {name: where for name, where in escaped.items() if name not in names}
    return found


def read_before_bound(tree: ast.Module) -> set[str]:
    """Names that a cell reads from outside: read at its top level before it binds them, or in a
    function and never bound."""
    before: set[str] = set()
    outside: set[str] = set()
    for statement in tree.body:
        outside |= names_read(statement) - before - _scoped_names(statement)
        before |= bound_names(statement)
    return outside


def names_read(tree: ast.AST) -> set[str]:
    """Every name that a piece of code reads."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


_SCOPES = (
    *(ast.For, ast.AsyncFor, ast.With, ast.AsyncWith),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


def _scoped_names(statement: ast.AST) -> set[str]:
    """Names that a statement binds itself before it can read them: parameters, comprehension and
    loop targets."""
    names: set[str] = set()
    todo = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, _SCOPES):
            names |= {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
            names |= bound_names(node)
            continue
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.comprehension):
            names |= bound_names(node.target)
        todo += ast.iter_child_nodes(node)
    return names


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that a piece of code binds, in whatever scope: assignment, import, definition,
    loop, with, except."""
    return {name for node in ast.walk(tree) if (name := bound_by(node))}


def bound_by(node: ast.AST) -> str | None:
    """The name that this very node binds, if it does."""
    match node:
        case ast.Name():
            return None if isinstance(node.ctx, ast.Load) else node.id
        case ast.alias():
            return (node.asname or node.name).split(".")[0]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return node.name
        case ast.MatchMapping():
            return node.rest
    return None


def imported_modules(sources: Sequence[str]) -> tuple[str, ...]:
    """The modules that import statements of these cells name, in their order."""
    found: dict[str, None] = {}
    for source in sources:
        try:
            parsed = parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.Import):
                found.update({alias.name: None for alias in node.names})
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found[node.module] = None
    return tuple(name for name in found if name.split(".")[0] not in ("utils", "checks", "nbseal"))


TOP_LEVEL = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.M)


@lru_cache(maxsize=4096)
def defines(source: str) -> frozenset[str]:
    """The names of functions, classes and variables that a cell binds at its top level."""
    parsed = tree(source)
    if parsed is None:
        return frozenset(
            name for pair in TOP_LEVEL.findall(source[:LONGEST]) for name in pair if name
        )
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
    return {
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
