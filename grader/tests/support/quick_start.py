"""Imported first of all: without it pytest itself and every command that a test starts need two
seconds more."""

import atexit
import gc
import os
import sys
from pathlib import Path

LEFT_OUT = Path(__file__).resolve().parent / "left_out"

sys.modules.setdefault("rfc3987_syntax", None)  # as nbseal/__main__.py does
if str(LEFT_OUT) not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(LEFT_OUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )


# What is imported and collected stays: looking through it for garbage takes a third of the time. So
# it does at the end.
gc.disable()
atexit.register(gc.freeze)


def pytest_collection_finish():
    gc.enable()
