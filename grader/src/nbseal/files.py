"""Files that are there whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write into that stands at `path` once it is finished, and never in part: what was
    there stays until then, and if anything is raised. Raises OSError where nothing can be
    written."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(unfinished, flags, mode), "wb") as file:
            yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a file, whole or not at all. Raises OSError."""
    with whole(path, mode) as file:
        file.write(content.encode() if isinstance(content, str) else content)
