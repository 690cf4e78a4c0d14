# @title Run this cell first: it finds the course's files, or fetches them (Colab)
import os, shutil, subprocess, sys
from pathlib import Path

REPOSITORY = "{repository}"
REVISION = "{revision}"
fetched = Path(f"course-files-{REVISION}").resolve()
found = next((place for place in [Path.cwd(), *Path.cwd().parents, fetched]
              if (place / "utils.py").is_file()
              and (place / "data" / "names.sha256").is_file()), None)
if not found:
    part = f"{fetched.name}.part"
    shutil.rmtree(part, ignore_errors=True)  # of a download that was cut off
    clone = f'git clone --quiet --depth 1 --branch "{REVISION}" "{REPOSITORY}" {part}'
    git = subprocess.run(clone, shell=True, text=True, capture_output=True,
                         env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
    if git.returncode:
        raise RuntimeError(
            f"Could not fetch the course's files from {REPOSITORY} "
            f"({' '.join(git.stderr.split())}): check the network and run this cell "
            "again, or open this notebook inside the course's folder.")
    os.rename(part, fetched)
sys.path.insert(0, str(found or fetched))
if not hasattr(sys.modules.get("utils"), "expect"):
    sys.modules.pop("utils", None)  # another module of this name, as Colab has one
print("Found" if found else "Fetched", "the course's files in",
      os.path.relpath(found or fetched))
