"""One browser for all screens, and where pictures of them go.

`SCREENSHOTS=docs/images pytest tests/screens -n 0` replaces the pictures of the guides.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MAX_BYTES = 200_000  # of a picture: guides are read over slow connections


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator:
    from tests.screens.browser import CHROMIUM, DRIVER, chromium

    if not CHROMIUM or not DRIVER:
        pytest.skip(
            "chromium and chromedriver are not installed (Debian: apt install chromium chromium-driver)"
        )
    with chromium(tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture
def picture(browser, tmp_path) -> Callable[..., None]:
    """Takes the picture NAME.png of what is on the screen, or of its upper `height` pixels."""
    folder = ROOT / os.environ["SCREENSHOTS"] if os.environ.get("SCREENSHOTS") else tmp_path

    def take(name: str, height: int | None = None) -> None:
        file = folder / f"{name}.png"
        browser.screenshot(file, height)
        assert file.stat().st_size < MAX_BYTES, f"{file} is too large for a guide"

    return take
