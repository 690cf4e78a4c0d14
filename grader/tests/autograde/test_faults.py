"""What is the machine's fault costs nobody a point: one sentence, exit 1. And what students chose to be called acts on
no terminal."""

import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest
from nbseal.authoring.nbgrader_api import environment
from nbseal.autograde.results import CellResult, NotebookResult, SubmissionResult
from nbseal.autograde.summary import RunSummary, print_summary, write_record
from nbseal.notebook.text import plain
from nbseal.records import CheckResult
from rich.console import Console
from support.classroom import ASSIGNMENT, PATH, Classroom

FULL = {"double_test": 2.0, "square_test": 3.0}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("faults") / "course")
    room.hand_in("ada")
    assert room.autograde().returncode == 0
    return room


@pytest.fixture
def room(graded):
    """A class of one that is graded; its gradebook is put back afterwards."""
    gradebook = graded.root / "gradebook.db"
    kept = gradebook.read_bytes()
    yield graded
    if gradebook.is_dir():
        gradebook.rmdir()
    gradebook.write_bytes(kept)
    assert graded.scores("ada") == FULL


def one_sentence(done) -> str:
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr[-2000:]
    (line,) = [line for line in done.stderr.splitlines() if "cannot be" in line or "rename" in line]
    return line


def cut_in_half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def make_a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil, said",
    [
        (cut_in_half, "the file is damaged"),
        (lambda path: path.write_bytes(b"hello" * 1000), "the file is damaged"),
        (make_a_folder, "whether it is a file"),
    ],
)
def test_a_gradebook_that_is_none(room, spoil, said):
    spoil(room.root / "gradebook.db")
    line = one_sentence(room.autograde("--force"))
    assert said in line and "upgrade" not in line


@pytest.mark.slow
def test_a_gradebook_that_somebody_else_writes_into(room):
    connection = sqlite3.connect(room.root / "gradebook.db")
    connection.execute("begin exclusive")
    try:
        assert "end that one, or wait for it" in one_sentence(room.autograde("--force"))
    finally:
        connection.close()


@pytest.mark.slow
def test_a_gradebook_of_an_older_nbgrader(room):
    connection = sqlite3.connect(room.root / "gradebook.db")
    with connection:
        connection.execute("alter table grade rename column auto_score to something_else")
    connection.close()
    assert "nbgrader db upgrade" in room.autograde("--force").stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a%20b", "a?b"])
def test_a_folder_that_nbgrader_cannot_write_as_an_address(tmp_path, name):
    room = Classroom(tmp_path / "course")
    room.hand_in("ada")
    room.root.rename(tmp_path / name)
    room.root = tmp_path / name
    assert "rename the folder" in one_sentence(room.autograde())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a#b", "a b", "ü"])
def test_other_odd_names_of_folders_are_fine(tmp_path, name):
    room = Classroom(tmp_path / name)
    room.hand_in("ada")
    assert room.autograde().returncode == 0 and room.scores("ada") == FULL


@pytest.mark.slow
def test_a_terminal_that_takes_nothing(room):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nbseal", "autograde", ASSIGNMENT, "--force", "--json", "kept.json"],
            cwd=room.root, env=environment() | {"PATH": PATH}, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert "No space left on device" in one_sentence(done)
    assert json.loads((room.root / "kept.json").read_text())["graded"] == 1, (
        "written before it is printed"
    )


# --- The record -------------------------------------------------------------------------------------------------------


def summary(**cell) -> RunSummary:
    """Of one student, all of whose texts are `text`."""
    text = cell.get("text", "a reason")
    notebook = NotebookResult(
        text,
        1.0,
        2.0,
        0.0,
        False,
        None,
        (text,),
        (CellResult(text, 1.0, 2.0, (CheckResult(text, False, mistake=text),)),),
    )
    result = SubmissionResult(text, "graded", None, 1.0, 0.1, 0.1, 1.0, (notebook,))
    return RunSummary("numbers", [result], [], 1.0, 2, 1.0)


@pytest.mark.slow
def test_a_link_stays_a_link_and_its_file_gets_the_record(tmp_path):
    (tmp_path / "record.json").write_text("old")
    (tmp_path / "link.json").symlink_to("record.json")
    write_record(summary(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "record.json").read_text())["graded"] == 1


@pytest.mark.slow
def test_a_pipe_is_written_into(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_record(summary(), pipe)
    reader.join(10)
    assert json.loads(read[0])["graded"] == 1 and stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root could replace a device")
def test_a_device_stays_a_device(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices can be made here")
    write_record(summary(), device)
    assert stat.S_ISCHR(device.stat().st_mode)


# --- Text that acts ---------------------------------------------------------------------------------------------------

HOSTILE = [
    "[/layer_norm]",
    "[red]fine[/red]",
    "\x1b[2J\x1b[1;1H",
    "\x9b31m",
    "a\u202eb",
    "two\nlines",
    "\ud800",
    "\x07",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_summary_quotes_is_shown_as_it_is_and_acts_on_nothing(text):
    console = Console(width=200, record=True, file=io.StringIO(), force_terminal=True)
    print_summary(summary(text=text), console)
    shown = console.export_text()
    assert not set(shown) & set("\x1b\x9b\x07\u202e\ud800")
    if text.startswith("["):
        assert shown.count(text) >= 3


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_is_one_line(text):
    line = plain(text)
    assert "\n" not in line and line.isprintable() and len(plain(text * 5000)) <= 2000
