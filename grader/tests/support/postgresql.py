"""A PostgreSQL server that lives as long as a test, from Debian's package."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Debian keeps the server's programs away from PATH, a folder for each version.
PROGRAMS = next(
    (
        path.parent
        for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    ),
    None,
)


@pytest.fixture
def server() -> Iterator[str]:
    """The URL of an empty database `gradebook`, reached by a socket in a folder of its own and not
    over the network."""
    if PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    folder = Path(
        tempfile.mkdtemp(prefix="gradebook-", dir="/tmp")
    )  # a socket's path must be short
    user = {}
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [PROGRAMS / program, *arguments],
            check=True,
            cwd=folder,
            timeout=120,
            stdout=subprocess.DEVNULL,
            **user,
        )

    data = str(folder / "data")
    try:
        call("initdb", "-D", data, "-U", "grader", "--auth=trust", "--no-sync")
        call(
            "pg_ctl",
            "-D",
            data,
            "-w",
            "-l",
            str(folder / "log"),
            "-o",
            f"-k {folder} -c listen_addresses=",
            "start",
        )
        try:
            call("createdb", "-h", str(folder), "-U", "grader", "gradebook")
            yield f"postgresql+psycopg://grader@/gradebook?host={folder}"
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
