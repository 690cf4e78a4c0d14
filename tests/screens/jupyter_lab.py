"""JupyterLab for a test: its own settings, a free port of this machine, a token, and an end in
every case."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbseal.authoring.nbgrader_api import environment
from support.classroom import process_tree
from support.waiting import wait_until

START_SECONDS = 120  # a loaded machine imports slowly; an idle one needs 3
END_SECONDS = 15

# All cells of a notebook are in the page at once, so that a test finds them without scrolling; and
# nothing is fetched.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@contextmanager
def running_lab(folder: Path, private: Path, **more_environment: str) -> Iterator[str]:
    """JupyterLab in `folder`, what it keeps about its user in `private`; yields its address with a
    place for a path.

    Raises AssertionError with the server's log if it does not start.
    """
    token = secrets.token_hex(16)
    runtime, log = private / "runtime", private / "server.log"
    _write_settings(private / "settings")
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={_free_port()}",
        f"--ServerApp.root_dir={folder}",
    ]
    with open(log, "w", encoding="utf-8") as output:
        server = subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment(
                **{name: str(private / place) for name, place in places.items()},
                JUPYTER_TOKEN=token,
                PATH=path,
                **more_environment,
            ),
        )
    try:
        address = _address(server, runtime, log)
        yield f"{address}{{path}}?token={token}"
    finally:
        _end(server)


def _write_settings(folder: Path) -> None:
    for name, values in SETTINGS.items():
        file = folder / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


def _free_port() -> int:
    """A port that was free a moment ago; the server takes another one if somebody was faster."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _address(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    """Where the server says that it listens, once it does."""
    file = runtime / f"jpserver-{server.pid}.json"

    def address() -> str | None:
        assert server.poll() is None, f"JupyterLab ended: {log.read_text()[-3000:]}"
        try:
            return json.loads(file.read_text())["url"]
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    return wait_until(
        address,
        lambda: f"JupyterLab does not start: {log.read_text()[-3000:]}",
        seconds=START_SECONDS,
    )


def _end(server: subprocess.Popen) -> None:
    """Ask the server to end its kernels and itself; whatever is left of them is killed."""
    family = process_tree(server.pid)
    server.terminate()
    try:
        server.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    for process in family:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself, as it should
    server.wait()
