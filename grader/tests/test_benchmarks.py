"""Nobody runs the benchmarks often; each can still be started."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
START_EACH = """
import runpy, sys
path, failed = list(sys.path), []
for script in sys.argv[1:]:
    sys.path[:] = path
    try:
        runpy.run_path(script, run_name="imported")
    except Exception as error:
        failed.append(f"{script}: {error!r}")
sys.exit("\\n".join(failed) or 0)
"""


def test_every_benchmark_finds_what_it_needs():
    scripts = [path for path in FOLDER.glob("*.py") if path.stem != "__init__"]
    # away from the course's folder, and with nothing of pytest's path
    done = subprocess.run(
        [sys.executable, "-c", START_EACH, *map(str, sorted(scripts))],
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
