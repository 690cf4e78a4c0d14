"""`python -m nbgrader_suite [pytest arguments]`: 40 pass and 2 are skipped, as with nbgrader
itself."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        # for alembic, which it calls
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    # In an empty folder and without our pytest settings: the tests change folders, and write into
    # the one they are in.
    with tempfile.TemporaryDirectory() as empty:
        return subprocess.call(
            [
                sys.executable,
                "-m",
                "pytest",
                "-c",
                os.devnull,
                "--rootdir",
                empty,
                "-p",
                "no:cacheprovider",
                "-q",
                "-n",
                "2",
                "-p",
                "nbgrader_suite.through_our_command",
                "--pyargs",
                "nbgrader.tests.apps.test_nbgrader_autograde",
                *sys.argv[1:],
            ],
            cwd=empty,
            env=environment,
        )


sys.exit(main())
