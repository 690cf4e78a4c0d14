"""The site, made once, and a browser that looks at it without a network."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> subprocess.CompletedProcess:
    """What `make site` runs, in a folder of its own; its `args` end with that folder."""
    folder = tmp_path_factory.mktemp("made") / "site"
    command = [sys.executable, str(ROOT / "docs/site/build.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def site(made) -> Path:
    assert made.returncode == 0, made.stderr[-5000:]
    return Path(made.args[-1])


@pytest.fixture(scope="module")
def pages(site) -> list[str]:
    """Every page, as its address in the site."""
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return [page for page in found if not page.startswith("_static/")]


@pytest.fixture(scope="module")
def reader(site, tmp_path_factory) -> Iterator:
    """A browser on the site's files, nothing but files."""
    from tests.screens.browser import CHROMIUM, DRIVER, chromium
    from tests.site.reader import Reader

    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromedriver are not installed (Debian: see .ci/run)")
    with chromium(tmp_path_factory.mktemp("chromium")) as browser:
        yield Reader(browser, site)


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which finds what a person with a screen reader or without a mouse
    cannot use. `npm install axe-core` fetches it; AXE says where its axe.min.js is."""
    if not os.environ.get("AXE"):
        pytest.skip("AXE does not say where axe-core's axe.min.js is (npm install axe-core)")
    return Path(os.environ["AXE"]).read_text(encoding="utf-8")
