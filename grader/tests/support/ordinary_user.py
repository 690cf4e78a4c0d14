"""Run a command as an ordinary user, for tests that are themselves run by root: `python
ordinary_user.py COMMAND...`.

Python often lies where other users may not go (/root/.pyenv). So the command gets mounts of its
own, in which the closed folder on the way to it holds nothing but the way itself.
"""

import os
import stat
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from nbseal.confine import kernel

NOBODY = 65534


def closed_folder(path: Path) -> Path | None:
    """The outermost folder on the way to `path` that others may not enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def open_the_way(*paths: Path) -> None:
    """Make paths reachable for all users, in mounts of this process alone."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    ways = {path: closed_folder(path) for path in paths}
    trees = {path: kernel.open_tree(str(path)) for path, folder in ways.items() if folder}
    for folder in {folder for folder in ways.values() if folder}:
        kernel.mount("way", str(folder), "tmpfs", options="mode=755")
    for path, tree in trees.items():
        path.mkdir(parents=True)
        kernel.move_mount(tree, str(path))


def main() -> None:
    open_the_way(*{Path(os.path.realpath(path)) for path in (sys.base_prefix, sys.prefix, ROOT)})
    os.chdir(ROOT)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
