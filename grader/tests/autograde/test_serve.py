"""`nbseal serve`: the same as the plain command, sooner; and nothing is lost where it ends."""

import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from attacks.catalogue import PLUNDER, load
from nbseal import asking
from nbseal.authoring.nbgrader_api import environment
from nbseal.notebook import answers
from support.classroom import ASSIGNMENT, NOTEBOOK, PATH, Classroom, run
from support.served import SECONDS, Done, Served, children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can confine a session")

FULL = {"double_test": 2.0, "square_test": 3.0}
SUPPORT = Path(__file__).resolve().parents[1] / "support"
SLOW = "import time\ntime.sleep({})\ndef double(x):\n    return 2 * x"
WRONG = "def double(x):\n    return x + 2"
NOBODY = 65534


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A course with a server that is ready."""
    room = Classroom(tmp_path_factory.mktemp("served") / "course")
    with Served(room) as server:
        server.wait()
        yield server


def fill(room: Classroom) -> None:
    """A class with every way to end."""
    room.hand_in("right")
    room.hand_in("wrong", double=WRONG)
    room.hand_in("late", double=WRONG)
    (room.folder("late") / "timestamp.txt").write_text("2030-01-01 00:00:00 UTC")
    (room.hand_in("damaged")).write_text("{")


def test_a_served_class_is_graded_as_a_plain_one(served, tmp_path):
    plain = Classroom(tmp_path / "course")
    fill(plain), fill(served.room)
    done = served.autograde("--json", "done.json")
    expected = plain.autograde("--json", "done.json")
    assert done.was_served
    assert done.code == expected.returncode == 1  # one is damaged
    assert served.room.rows() == plain.rows() and len(plain.rows()) == 4
    written = [json.loads((room.root / "done.json").read_text()) for room in (served.room, plain)]
    assert [{one["student"] for one in told["submissions"]} for told in written] == [
        {"right", "wrong", "late", "damaged"}
    ] * 2
    assert "damaged" in done.stderr and "damaged" in expected.stderr
    assert served.room.autograded("right").cells == plain.autograded("right").cells or [
        cell.source for cell in served.room.autograded("right").cells
    ] == [cell.source for cell in plain.autograded("right").cells]
    served.wait()


def test_each_run_has_a_key_of_its_own(served):
    served.room.hand_in("twice")
    keys = []
    for _ in range(2):
        assert served.autograde("--student=twice", "--force").was_served
        place = answers.place_of(served.room.root, ASSIGNMENT, "twice", NOTEBOOK)
        keys.append(answers.kept(place, served.room.autograded("twice")).key)
        served.wait()
    assert len(set(keys)) == 2


def test_two_commands_at_once(served):
    for student in ("one", "two"):
        served.room.hand_in(student, double=SLOW.format(1))
    started = [served.start(f"--student={student}") for student in ("one", "two")]
    said = [process.communicate(timeout=240) for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert served.room.scores("one") == served.room.scores("two") == FULL
    served.wait()


def test_ctrl_c_ends_the_command_in_the_server(served):
    served.room.hand_in("interrupted", double=SLOW.format(60))
    process = served.start("--student=interrupted")
    process.stderr.readline()
    served.until(lambda: len(children(served.process.pid)) and _is_busy(served))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "Interrupted. What is graded is saved" in said
    assert not served.room.is_autograded("interrupted")
    served.wait()


def _is_busy(served: Served) -> bool:
    """Whether a session runs: its folder is in the temporary one of a process of the server."""
    areas = (served.room.root / "autograded").glob(".*/*/*.ipynb")
    return any(areas) or any((served.room.root / "autograded").glob(".*/*"))


def test_a_command_that_is_killed_takes_its_process_along_and_loses_nothing(served):
    served.room.hand_in("killed", double=SLOW.format(5))
    before = set(children(served.process.pid))
    process = served.start("--student=killed")
    served.until(lambda: _is_busy(served))
    process.kill()
    process.communicate()
    served.wait()  # it made another ready, so the one before has ended
    assert len(set(children(served.process.pid)) & before) <= 1  # the zygote
    done = served.autograde("--student=killed")
    assert done.was_served and done.code == 0 and served.room.scores("killed") == FULL
    served.wait()


def test_what_a_command_was_started_with_is_taken_over(served):
    """Its streams, folder and environment; one that cannot be taken over is left to it."""
    served.room.hand_in("same")
    folder = served.room.root / "source"
    inside = subprocess.run(
        [sys.executable, "-m", "nbseal.asking", "autograde", ASSIGNMENT, "--student=same"]
        + ["--json=here.json"],
        cwd=folder,
        env=environment(COLUMNS="60") | {"PATH": PATH},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert inside.returncode == 0 and (folder / "here.json").is_file(), inside.stderr
    assert "same" in (folder / "here.json").read_text() and inside.stdout
    served.wait()
    other = served.autograde("--student=same", "--force", PYTHONHASHSEED="1")
    assert not other.was_served and other.code == 0


def test_formgraders_button_is_served(served):
    served.room.hand_in("pressed", double=WRONG)
    (served.room.root / "press.py").write_text(
        "import json, resource\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))\n"  # Jupyter sets its own
        "from nbgrader.apps import NbGraderAPI\n"
        "from traitlets.config import PyFileConfigLoader\n"
        "from nbseal.autograde.exporter import ENGINES\n"
        "config = PyFileConfigLoader('nbgrader_config.py', path='.').load_config()\n"
        "first = NbGraderAPI(config=config).autograde('numbers', 'pressed'), len(ENGINES._started)\n"
        "config.Execute.timeout = 61\n"  # not what the command would be told
        "second = NbGraderAPI(config=config).autograde('numbers', 'pressed'), len(ENGINES._started)\n"
        "print(json.dumps([first, second]))\n"
    )
    config = served.room.root / "nbgrader_config.py"
    kept = config.read_text()
    config.write_text(
        kept + "\nimport nbseal\nnbseal.configure(c, course_files=['utils.py', 'checks'])\n"
    )
    served.wait()  # it is made ready anew
    done = run(served.room.root, "press.py")
    first, second = json.loads(done.stdout.strip().splitlines()[-1])
    assert first[0]["success"] and first[1] == 0, first
    assert second[0]["success"] and second[1] == 1, second
    assert served.room.scores("pressed") == FULL | {"double_test": 0}
    config.write_text(kept)
    served.wait(times=2)


# ---- Who may ask ---------------------------------------------------------------------------------


def test_only_its_user_may_come_near(served):
    assert stat.S_IMODE(served.socket.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(served.socket.stat().st_mode) == 0o600
    again = run(served.room.root, "-m", "nbseal", "serve", ASSIGNMENT)
    assert again.returncode == 1 and again.stderr.count("\n") == 1, again.stderr
    assert "is served already" in again.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_cannot_connect(served):
    program = (
        "import os, socket, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    )
    done = run(served.room.root, "-c", program, str(served.socket))
    assert "PermissionError" in done.stderr


def test_a_process_of_the_same_user_that_is_confined_is_not_served(served):
    """As a session's on a host that refuses namespaces, where an ordinary user grades."""
    served.room.hand_in("asked")
    asked = ["-m", "nbseal.asking", "autograde", ASSIGNMENT, "--student=asked"]
    confined = [str(SUPPORT / "refusing_host.py"), "landlock", sys.executable, *asked]
    assert run(served.room.root, *confined).returncode == asking.DECLINED
    assert not served.room.is_autograded("asked")
    assert run(served.room.root, *asked).returncode == 0
    assert served.room.is_autograded("asked")
    served.wait()


def test_a_submission_cannot_speak_with_the_server(served):
    """The attack of attacks/sealed; outside of a session it does reach the socket."""
    [attack] = [one for one in load("sealed") if one.name == "asks_the_server"]
    [code] = [cell for cell in _cells(attack) if "connect" in cell]
    free = run(served.room.root, "-c", code)
    assert f"{PLUNDER} connected to {served.socket}" in free.stdout, free.stderr

    def armed(nb):
        nb.cells.insert(0, nbformat.v4.new_code_cell(f"{code}\nprint('tried', tried)"))

    served.room.hand_in("asks", armed)
    assert served.autograde("--student=asks").was_served
    said = json.dumps(served.room.autograded("asks").cells)
    assert "tried" in said and PLUNDER + " connected" not in said
    served.wait()


def _cells(attack) -> list[str]:
    path = Path(__file__).resolve().parents[1] / "attacks" / "sealed" / f"{attack.name}.attack"
    return [path.read_text().split("# %% before row_stats\n")[1]]


# ---- What goes wrong --------------------------------------------------------------------------


# A server whose commands end as no command should.
BREAKS = """
import time
from pathlib import Path
from nbseal.asking import origin
began = origin()
from nbseal.autograde.serving import Server

def main():
    time.sleep(2)
    raise ValueError("of the command itself")

server = Server(Path.cwd(), [{!r}], 120, began, main)
try:
    server.serve()
finally:
    server.close()
"""


def test_an_error_of_a_command_is_that_command_s(tmp_path):
    """And does not reach the server's frames, in which a second command at once is forked."""
    room = Classroom(tmp_path / "course")
    with Served(room, program=("-c", BREAKS.format(ASSIGNMENT))) as served:
        served.wait()
        for done in [Done(one) for one in [served.start(), served.start()]]:
            assert done.was_served and done.code == 1
            assert done.stderr.count("ValueError: of the command itself") == 1
        served.wait()


def test_a_command_and_its_process_that_die_at_once_do_not_end_the_server(tmp_path):
    """Both are noticed in one look, the process first."""
    room = Classroom(tmp_path / "course")
    room.hand_in("right")
    with Served(room) as served:
        served.wait()
        room.hand_in("waits", double=SLOW.format(60))
        command = served.start("--student=waits")
        served.until(lambda: _is_busy(served))
        (process,) = _forked(served)
        served.process.send_signal(signal.SIGSTOP)
        for pid in (process, command.pid):
            os.kill(pid, signal.SIGKILL)
            select.select([os.pidfd_open(pid)], [], [], SECONDS)
        served.process.send_signal(signal.SIGCONT)
        served.until(lambda: process not in children(served.process.pid))
        assert served.autograde("--student=right").was_served and room.scores("right") == FULL


def _forked(served: Served) -> list[int]:
    """What was forked from the server, and not started anew as the zygote is."""
    own = Path(f"/proc/{served.process.pid}/cmdline").read_bytes()
    mine = children(served.process.pid)
    return [pid for pid in mine if Path(f"/proc/{pid}/cmdline").read_bytes() == own]


# ---- What changes --------------------------------------------------------------------------------


def test_a_changed_test_and_a_changed_course_file_count_at_once(tmp_path):
    room = Classroom(tmp_path / "course")
    room.hand_in("right")
    with Served(room) as served:
        served.wait()
        assert served.autograde("--student=right").was_served
        assert room.scores("right") == FULL
        served.wait()
        source = nbformat.read(room.source, as_version=4)
        for cell in source.cells:
            cell.source = cell.source.replace("return 2 * x", "return 2 * x + 1")
            cell.source = cell.source.replace("double(3), 6", "double(3), 7")
            cell.source = cell.source.replace("2 * (4827", "1 + 2 * (4827")
        room.write(room.source, source)
        done = room.nbgrader("generate_assignment", ASSIGNMENT, "--force")
        assert done.returncode == 0, done.stderr
        assert served.autograde("--student=right", "--force").code == 0
        assert room.scores("right") == FULL | {"double_test": 0}
        served.wait()
        with (room.root / "utils.py").open("a") as file:
            file.write("\nraise RuntimeError('this course file is broken')\n")
        broken = served.autograde("--student=right", "--force")
        assert not broken.was_served and broken.code == 1, broken.stderr
        served.wait("starting anew")


def test_it_ends_when_nobody_asks(tmp_path):
    room = Classroom(tmp_path / "course")
    with Served(room, "--idle=0.01") as served:
        assert served.process.wait(240) == 0
        assert "nobody has asked for 0.01 minutes" in served.log()
        assert not served.socket.exists()


def test_a_server_that_is_killed_leaves_nothing_that_harms(tmp_path):
    room = Classroom(tmp_path / "course")
    room.hand_in("waits", double=SLOW.format(60))
    room.hand_in("right")
    with Served(room) as served:
        served.wait()
        mine = children(served.process.pid)
        command = served.start("--student=waits")
        served.until(lambda: _is_busy(served))
        served.process.kill()
        _, said = command.communicate(timeout=60)
        assert command.returncode == 1 and "the server of this course has ended" in said
        assert not room.is_autograded("waits") and served.socket.exists()
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{pid}").exists() for pid in mine) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(Path(f"/proc/{pid}").exists() for pid in mine)
        done = served.autograde("--student=right")
        assert not done.was_served and done.code == 0 and room.scores("right") == FULL
        assert not served.socket.exists()
    with Served(room) as served:
        served.wait()
        assert served.autograde("--student=right", "--force").was_served


def test_a_socket_that_nobody_listens_at_is_cleared_away(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("")
    os.makedirs(asking.place(), 0o700, exist_ok=True)
    path = asking.socket_of(str(tmp_path))
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(path)
    lock = asking.take_lock(path)
    assert asking.connect(str(tmp_path)) is None and os.path.exists(path)  # its owner lives
    os.close(lock)
    assert asking.connect(str(tmp_path)) is None and not os.path.exists(path)
    os.unlink(f"{path}.lock")
