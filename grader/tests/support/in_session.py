"""Run snippets in confined sessions: JSON on standard input says which and how, JSON on standard
output what came of it.

{"snippets": [source, ...], "confinement": {...}, "warm": [modules]}  ->  [{"said": printed text,
"code": exit code}, ...]
"""

import importlib
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from nbseal.confine import Confinement, ConfinementError, enter_worker, spawn_confined
from nbseal.records import Limits

PATHS = ("scratch", "folder")


def confinement(fields: dict) -> Confinement:
    given = {name: Path(value) if name in PATHS else value for name, value in fields.items()}
    for name in ("readable", "hidden"):
        given[name] = tuple(map(Path, fields.get(name, ())))
    return Confinement(
        **{"scratch": Path("/scratch")} | given | {"limits": Limits(**fields.get("limits", {}))}
    )


def run(snippet: str, bounds: Confinement) -> dict:
    read, write = os.pipe()

    def main() -> None:
        os.dup2(write, 1)
        os.dup2(write, 2)
        exec(compile(snippet, "<snippet>", "exec"), {"__name__": "__main__"})

    try:
        session = spawn_confined(bounds, main, [write])
    except ConfinementError as error:
        return {"said": "", "error": str(error)}
    finally:
        os.close(write)
    with open(read) as file:
        said = file.read()
    os.waitid(os.P_PID, session.pid, os.WEXITED | os.WNOWAIT)
    return {"said": said.strip(), "code": session.end()}


def main() -> None:
    asked = json.load(sys.stdin)
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        "MPLBACKEND": "agg",
    }
    enter_worker()
    for module in asked.get("warm", []):
        importlib.import_module(module)
    bounds = confinement(asked.get("confinement", {}))
    print(json.dumps([run(snippet, bounds) for snippet in asked["snippets"]]))


if __name__ == "__main__":
    main()
