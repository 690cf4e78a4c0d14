"""Imported first of all: without it every process that a test starts needs two seconds more."""

import os
import sys
from pathlib import Path

LEFT_OUT = Path(__file__).resolve().parent / "left_out"

sys.modules.setdefault("rfc3987_syntax", None)  # as nbseal/__main__.py does
if str(LEFT_OUT) not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(LEFT_OUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
