"""A Dask cluster on this machine: a scheduler and workers, each a process in a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from support.waiting import wait_until


class DaskCluster:
    """Use it as a context manager; what it started ends with it."""

    def __init__(self, folder: Path, scheme: str = "tcp", **settings: str):
        """settings: Dask's own, by the names that DASK_... variables have."""
        self.folder, self._settings = folder, settings
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen | None = None
        self.workers: dict[str, subprocess.Popen] = {}

    def start_scheduler(self) -> None:
        place = ["--host", self.address, "--no-dashboard"]
        self.scheduler = self._start("scheduler", *place)
        wait_until(self._listens, (self.folder / "scheduler" / "log").read_text)

    def start_worker(self, name: str, *more: str, **environment: str) -> None:
        """One with a thread, and no nanny to start it again."""
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", "."]
        self.workers[name] = self._start(
            "worker", self.address, "--name", name, *options, *more, **environment
        )

    def knows(self, name: str) -> None:
        """Wait until the scheduler knows a worker."""
        log = self.folder / "scheduler" / "log"
        wait_until(lambda: f"name: {name}" in log.read_text(), log.read_text)

    def kill_worker(self, name: str) -> None:
        _end(self.workers.pop(name))

    def kill_scheduler(self) -> None:
        """Workers whose scheduler is gone end by themselves."""
        _end(self.scheduler)

    def no_worker_is_left(self) -> None:
        """Wait until all workers have ended."""
        wait_until(
            lambda: all(worker.poll() is not None for worker in self.workers.values()),
            "workers go on without a scheduler",
        )

    def _listens(self) -> bool:
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0

    def _start(self, role: str, *arguments: str, **environment: str) -> subprocess.Popen:
        name = arguments[arguments.index("--name") + 1] if "--name" in arguments else role
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "log", "a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + role, *arguments],
                cwd=folder,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._settings, **environment},
            )

    def __enter__(self):
        self.start_scheduler()
        return self

    def __exit__(self, *_) -> None:
        for process in (*self.workers.values(), self.scheduler):
            _end(process)


def _end(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
