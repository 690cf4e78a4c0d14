"""A real browser for tests: Debian's chromium without a screen, and a server that notes what pages
ask it for."""

import contextlib
import functools
import http.server
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")

# Nothing outside this machine is reached, whatever a page asks for.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def chromium(url: str, profile: Path, *flags: str) -> str:
    """Open a page and return its document once scripts have had five seconds of its time."""
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=5000", *flags, url],
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def dump_dom(url: str, profile: Path) -> str:
    return chromium(url, profile, "--dump-dom")


class _Noting(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments, asked: list[str], **more):
        self._asked = asked
        super().__init__(*arguments, **more)

    def do_GET(self):
        self._asked.append(self.path)
        super().do_GET()

    do_POST = do_GET

    def log_message(self, *_):
        """Quiet: what was asked for is noted."""


@contextlib.contextmanager
def serving(folder: Path):
    """A server of a folder's files: yields its port, and the list of paths that it was asked
    for."""
    asked: list[str] = []
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Noting, directory=folder, asked=asked)
    ) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()
