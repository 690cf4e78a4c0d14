"""Nobody runs the studies often; each can still be started."""

import subprocess
import sys

from tests.course import ROOT

STUDIES = "bulk_archive hub names_model_study names_pipeline".split()
START_EACH = """
import importlib, sys
for study in sys.argv[1:]:
    importlib.import_module(f"tools.{study}")
"""


def test_every_study_finds_what_it_needs():
    done = subprocess.run(
        [sys.executable, "-c", START_EACH, *STUDIES], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
