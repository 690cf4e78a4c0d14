"""Nobody runs the benchmarks often; each can still be started."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from nbseal.checks.comparing import mismatch
from nbseal.records import CheckResult

from benchmarks.lucky_keys import allowed_share

ROOT = Path(__file__).resolve().parent.parent
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
    scripts = [path for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__"]
    # away from the course's folder, and with nothing of pytest's path
    done = subprocess.run(
        [sys.executable, "-c", START_EACH, *map(str, sorted(scripts))],
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "got, wanted, share",
    [
        (1.1, 1.0, 0.001),
        ((2.0, 30.0), (2.0, 20.0), 2e-4),
        (torch.tensor([1.0, 5.0]), torch.tensor([1.0, 4.0]), 4e-4),
        (torch.tensor([2.0, 5.0]), torch.tensor([1.0, 4.0]), 1e-8),  # two of them are wrong
        (1.0 + 2e-4, 1.0, 0.5),
        (torch.zeros(2), torch.zeros(3), 0.0),
        (True, False, 0.0),
        ([1.0], 1.0, 0.0),
    ],
)
def test_how_thinly_an_answer_is_refused_is_read_from_what_the_checks_say(got, wanted, share):
    detail = mismatch(got, wanted, 1e-4)
    assert detail
    said = CheckResult("it", False, detail=detail)
    assert allowed_share(said, 1e-4) == pytest.approx(share, rel=0.01)
    assert allowed_share(said, None) == 0.0
