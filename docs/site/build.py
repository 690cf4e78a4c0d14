"""Make the site: every lecture, exercise and guide as a page, from the outputs that are stored.

    python docs/site/build.py [FOLDER]

What can be read is copied to a folder of its own and rendered there; `site/` changes only when
all of it worked. Nothing is run and nothing is fetched.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What pages are made from, and what they link to.
SOURCES = (
    "lectures/*.ipynb",
    "exercises/*/*.ipynb",
    "docs/*.md",
    "docs/images/*.png",
    "docs/images/*.svg",
    "data/*.*",
    "utils.py",
    "grader/src/nbseal/checks/__init__.py",
    "requirements.txt",
    "LICENSE",
    "README.md",
)


def gather(sources: Path) -> None:
    """Copy what the site is made from; no solution and no hidden test is among it."""
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            target = sources / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    shutil.copyfile(HERE / "index.md", sources / "index.md")


def build(site: Path) -> int:
    """Make the site in this folder; returns Sphinx' exit status, 0 when it is done."""
    with tempfile.TemporaryDirectory() as scratch:
        sources, html = Path(scratch) / "sources", Path(scratch) / "html"
        sources.mkdir()
        gather(sources)
        status = build_main(
            [
                *("-b", "html", "--quiet", "--fresh-env", "--jobs", str(os.cpu_count() or 1)),
                *("--conf-dir", str(HERE), "--doctree-dir", f"{scratch}/doctrees"),
                *(str(sources), str(html)),
            ]
        )
        if status == 0:
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(html, site)
    return status


def main() -> int:
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    began = time.monotonic()
    status = build(site)
    if status == 0:
        pages = sum("_static" not in path.parts for path in site.rglob("*.html"))
        print(f"{pages} pages in {time.monotonic() - began:.0f} s: open {site / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
