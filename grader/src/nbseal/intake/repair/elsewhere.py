"""Lines that only work in Colab, or that install and download: left out before grading.

A session has no network and no google.colab, and a cell ends at its first error: `drive.mount`
above a right answer in the same cell would cost its points, and `!pip install` the minutes that pip
tries to reach its index. They become comments.
"""

import ast
import re

from nbseal.cells.python import tree

LEFT_OUT = "(left out when grading)"

# Installing, downloading, and changing into a folder of Colab's.
MAGIC = re.compile(
    r"""^(?P<indent>[ \t]*)(?P<line>
        [!%]\s*(?:sudo\s+)?(?:(?:\S*python[\d.]*|uv)\s+(?:-m\s+)?)?(?:pip[\d.]*|conda|mamba|apt|apt-get|uv)\b.*
      | !\s*(?:git\s+clone|wget|curl|gdown)\b.*
      | [!%]\s*cd\s+['"]?/(?:content|gdrive|kaggle)\b.*
    )$""",
    re.VERBOSE,
)


def without_elsewhere(source: str) -> tuple[str, list[str]]:
    """The source with such lines as comments, and those lines."""
    if not re.search(r"colab|/content|[!%]", source):
        return source, []
    lines = source.split("\n")
    left_out = _magics(lines) + _colab(lines)
    return "\n".join(lines), left_out


def _magics(lines: list[str]) -> list[str]:
    found, continued = [], False
    for number, line in enumerate(lines):
        match = MAGIC.match(line)
        if not match and not continued:
            continue
        continued = line.rstrip().endswith("\\")
        indent = match["indent"] if match else ""
        # An indented line may be all that its block holds.
        lines[number] = f"{indent}{'pass  ' if indent else ''}# {LEFT_OUT} {line.strip()}"
        if match:
            found.append(line.strip())
    return found


def _colab(lines: list[str]) -> list[str]:
    """Statements at the top level that import google.colab, use what was imported, or change into
    Colab's folders."""
    parsed = tree("\n".join(lines))
    if parsed is None:
        return []
    names: set[str] = set()
    found, kept = [], []
    for statement in parsed.body:
        imported = _imported(statement)
        if imported or _uses(statement, names) or _changes_folder(statement):
            names |= imported
            found.append(statement)
        else:
            kept.append(statement)
    shared = {line for one in kept for line in _lines(one)}
    left_out = [one for one in found if shared.isdisjoint(_lines(one))]
    texts = [lines[one.lineno - 1].strip() for one in left_out]
    for number in {line for one in left_out for line in _lines(one)}:
        lines[number - 1] = f"# {LEFT_OUT} {lines[number - 1]}"
    return list(dict.fromkeys(texts))


def _lines(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _imported(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.ImportFrom(module=str(module)) if module.split(".")[:2] == ["google", "colab"]:
            return {alias.asname or alias.name for alias in statement.names}
        case ast.ImportFrom(module="google") if any(
            alias.name == "colab" for alias in statement.names
        ):
            return {alias.asname or alias.name for alias in statement.names}
        case ast.Import() if all(
            alias.name.startswith("google.colab") for alias in statement.names
        ):
            return {alias.asname or "google" for alias in statement.names}
    return set()


def _uses(statement: ast.stmt, names: set[str]) -> bool:
    if not names or not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))


def _changes_folder(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(attr="chdir") | ast.Name(id="chdir"),
                args=[ast.Constant(value=str(folder))],
            )
        ):
            return folder.startswith(("/content", "/gdrive", "/kaggle"))
    return False
