"""Nobody runs the benchmarks often; each can still be started."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_finds_what_it_needs(script):
    started = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='imported')"
    # away from the course's folder, and with nothing of pytest's path
    done = subprocess.run(
        [sys.executable, "-c", started, str(script)], cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
