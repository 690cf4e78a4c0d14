"""What honest notebooks do; runs inside a confined session whose worker has torch and matplotlib
imported."""

import asyncio
import getpass
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from multiprocessing import Pipe, Process
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def trains_a_network():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x = torch.randn(256, 8)
    y = x.sum(1, keepdim=True)
    losses = []
    for _ in range(3):
        for a, b in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[-1] < losses[0] / 2, losses
    torch.save(model.state_dict(), "model.pt")
    model.load_state_dict(torch.load("model.pt"))


def loads_data_with_worker_processes():
    loader = DataLoader(TensorDataset(torch.arange(64.0)), batch_size=16, num_workers=2)
    assert sum(batch.sum().item() for (batch,) in loader) == 64 * 63 / 2


def multiplies_large_matrices():
    a = torch.randn(600, 600)
    assert (
        torch.isfinite(a @ a).all() and np.isfinite(np.ones((600, 600)) @ np.ones((600, 600))).all()
    )


def scripts_a_function():
    assert torch.jit.script(torch.nn.functional.relu)(torch.tensor([-1.0])).item() == 0


def saves_figures():
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3])
    axes.set_title(r"$\sigma^2$ of activations")
    for kind in ("png", "svg", "pdf"):
        figure.savefig(f"figure.{kind}")
        assert os.path.getsize(f"figure.{kind}") > 1000


def uses_temporary_files():
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        Path(folder, "a").write_text("a")
        file.write(b"b")
    assert Path.home().is_dir()
    Path.home().joinpath(".cache").mkdir()


def runs_programs():
    Path("listed").touch()
    assert b"listed" in subprocess.run(["ls"], capture_output=True, check=True).stdout
    assert subprocess.check_output("echo hello | tr a-z A-Z", shell=True, text=True) == "HELLO\n"
    assert (
        subprocess.check_output([sys.executable, "-c", "import json; print(6 * 7)"], text=True)
        == "42\n"
    )


def starts_threads():
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(torch.ones(100, 100).sum().item()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [10000.0] * 8


def starts_processes():
    ours, theirs = Pipe()
    process = Process(target=lambda: theirs.send(os.getpid()))
    process.start()
    assert ours.recv() == process.pid
    process.join()


def forks_and_waits():
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def awaits():
    async def hello():
        await asyncio.sleep(0.01)
        process = await asyncio.create_subprocess_exec("true")
        return await process.wait()

    assert asyncio.run(hello()) == 0


def copies_and_packs_files():
    Path("original").write_text("text")
    os.chmod("original", 0o640)
    shutil.copy("original", "copy")
    shutil.copy2("original", "copy2")
    shutil.copytree(".", "/tmp/copies", ignore=shutil.ignore_patterns("*.pt"))
    with zipfile.ZipFile("packed.zip", "w") as archive:
        archive.write("copy")
    zipfile.ZipFile("packed.zip").extractall("unpacked")
    os.rename("copy", "unpacked/moved")
    assert Path("unpacked/moved").stat().st_mode & 0o777 == 0o640


def reads_what_it_was_given():
    assert (
        Path("handed_in.txt").read_text() == "mine\n"
        and Path("part", "deep.txt").read_text() == "deep\n"
    )
    assert os.access("/", os.R_OK) and Path("/dev/urandom").open("rb").read(4)
    Path("/dev/null").write_text("x")


def reads_tables_and_mapped_files():
    np.savetxt("table.csv", np.arange(3000.0).reshape(-1, 3), delimiter=",")
    assert np.loadtxt("table.csv", delimiter=",").shape == (1000, 3)
    np.save("large.npy", np.arange(1 << 20))
    assert np.load("large.npy", mmap_mode="r")[-1] == (1 << 20) - 1
    torch.save(torch.arange(1 << 18), "mapped.pt")
    assert torch.load("mapped.pt", mmap=True)[-1] == (1 << 18) - 1
    with open("large.npy", "rb") as file:
        assert os.preadv(file.fileno(), [bytearray(6)], 0) == 6
        os.fsync(file.fileno())
    listed = subprocess.run(
        "cat table.csv | sort -n | tail -1; cp table.csv copied", shell=True, capture_output=True
    )
    assert listed.returncode == 0 and not listed.stderr and Path("copied").stat().st_size


def keeps_a_database():
    import sqlite3

    with sqlite3.connect("marks.db") as database:
        database.execute("create table marks (value)")
        database.execute("insert into marks values (1)")
    assert database.execute("select * from marks").fetchall() == [(1,)]


def fits_a_model():
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        return
    x = np.random.default_rng(0).normal(size=(200, 4))
    forest = RandomForestClassifier(20, n_jobs=2).fit(x, x[:, 0] > 0)
    assert forest.score(x, x[:, 0] > 0) > 0.9


def asks_about_its_surroundings():
    assert getpass.getuser() == "student" and os.getuid() != 0 and os.cpu_count() >= 1
    assert (
        time.localtime().tm_year > 2020
        and Path("/proc/self/status").read_text()
        and Path("/proc/cpuinfo").exists()
    )


def prints_to_a_pipe():
    print("printed")


WORK = [
    value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__
]


def main():
    """Do it all; print {name: what went wrong} of what failed."""
    wrong = {}
    for work in WORK:
        try:
            work()
        except BaseException as error:
            wrong[work.__name__] = repr(error)
    print(json.dumps(wrong))
