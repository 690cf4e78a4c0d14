"""Confinement: every boundary is attempted from inside, by root's sessions and by those of an
ordinary user."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from functools import cache
from pathlib import Path

import pytest
from nbseal.confine import Boundary, Confinement, ConfinementError, spawn_confined
from nbseal.confine.spec import worker_environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can confine a session")

SUPPORT = Path(__file__).resolve().parents[1] / "support"
ROOT = SUPPORT.parents[1]
USERS = ["root", "ordinary"]


def command(user: str, *arguments: str | Path) -> list[str]:
    """A Python command, as run by root or by an ordinary user."""
    python = [sys.executable, *map(str, arguments)]
    if user == "root" and os.geteuid() != 0:
        pytest.skip("the tests are not run by root")
    if user == "ordinary" and os.geteuid() == 0:
        return [sys.executable, str(SUPPORT / "ordinary_user.py"), *python]
    return python


def python(user: str, *arguments, stdin: str = "", home: str = "/nowhere") -> str:
    done = subprocess.run(
        command(user, *arguments),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "HOME": home},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sessions(user: str, *snippets: str, warm=(), **confinement) -> list[dict]:
    """What confined sessions print and how they end, one for each snippet, forked from one
    worker."""
    asked = {
        "snippets": [textwrap.dedent(snippet) for snippet in snippets],
        "confinement": confinement,
        "warm": warm,
    }
    return json.loads(python(user, SUPPORT / "in_session.py", stdin=json.dumps(asked)))


def session(user: str, snippet: str, **confinement) -> str:
    """What one session prints; it must end well."""
    (ended,) = sessions(user, snippet, **confinement)
    assert ended.get("code") == 0, ended
    return ended["said"]


# ---- The boundaries ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def open_folder():
    """A folder that an ordinary user can reach and write to, as pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="confinement-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o777)
        yield folder


@pytest.fixture(scope="module")
def findings(open_folder):
    @cache
    def findings_of(user: str) -> dict:
        home = open_folder / "home"
        home.mkdir(exist_ok=True)
        (home / "diary.txt").write_text("private\n")
        report = json.loads(python(user, "-m", "nbseal.confine.probing", home=str(home)))
        assert report["refusals"] == {}
        return {name: (is_open, how) for name, is_open, how in report["findings"]}

    return findings_of


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("boundary", list(Boundary))
def test_boundary_is_closed(findings, user, boundary):
    is_open, how = findings(user)[boundary]
    assert not is_open, how
    assert how != "there was nothing to reach"


def test_every_attempt_succeeds_where_nothing_is_confined(open_folder):
    # An attempt that also fails without confinement would prove nothing.
    home = open_folder / "home"
    home.mkdir(exist_ok=True)
    (home / "diary.txt").write_text("private\n")
    report = json.loads(python("ordinary", SUPPORT / "unconfined.py", home=str(home)))
    assert {name for name, is_open, _ in report["findings"] if is_open} == {*Boundary}


def test_a_host_that_refuses_namespaces_and_landlock_is_found_out():
    report = json.loads(
        python(
            "ordinary",
            SUPPORT / "refusing_host.py",
            "namespaces,landlock",
            sys.executable,
            "-m",
            "nbseal.confine.probing",
        )
    )
    assert set(report["refusals"]) == {"namespaces", "Landlock"}
    found_open = {name for name, is_open, _ in report["findings"] if is_open}
    assert found_open >= {
        "solutions",
        "writing",
        "signals",
        "seeing-processes",
        "disk",
        "outliving",
        "wall-time",
    }
    assert found_open.isdisjoint(
        {"tcp", "udp", "modes", "prlimit", "remounting", "file-size", "cpu"}
    )


def test_without_landlock_the_namespaces_still_close_every_boundary():
    report = json.loads(
        python(
            "ordinary",
            SUPPORT / "refusing_host.py",
            "landlock",
            sys.executable,
            "-m",
            "nbseal.confine.probing",
        )
    )
    assert set(report["refusals"]) == {"Landlock"}
    assert not [name for name, is_open, _ in report["findings"] if is_open]


# ---- What else a session must not do -------------------------------------------------------------


@pytest.mark.parametrize("user", USERS)
def test_dangerous_system_calls_are_refused(user):
    said = session(
        user,
        """
        import ctypes, os
        import pyseccomp
        libc = ctypes.CDLL(None, use_errno=True)
        for name in ("mount open_tree unshare setns chroot ptrace process_vm_writev pidfd_getfd bpf perf_event_open "
                     "userfaultfd io_uring_setup keyctl add_key memfd_create shmget mq_open open_by_handle_at kexec_load "
                     "init_module reboot swapon chown mknodat setpriority clone3 "
                     "fadvise64 preadv2 pwritev2 mincore cachestat readahead sync_file_range sync syncfs "
                     "process_madvise remap_file_pages").split():
            number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):
                print(name, ctypes.get_errno())
        CLONE = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "clone")
        for flag in (0x10000000, 0x20000000, 0x40000000, 0x20000, 0x8000000, 0x2000000):
            if libc.syscall(CLONE, flag | 17, 0, 0, 0, 0) != -1:
                print("clone", hex(flag))
        for number in (470, 511):
            libc.syscall(number)
            assert ctypes.get_errno() == 38, number
    """,
        warm=["pyseccomp"],
    )
    assert said == ""


@pytest.mark.parametrize("user", USERS)
def test_pages_of_shared_files_can_be_neither_thrown_out_nor_asked_for(user):
    said = session(
        user,
        """
        import ctypes, mmap, os
        libc = ctypes.CDLL(None, use_errno=True)
        file = os.open(os.__file__, os.O_RDONLY)
        page = mmap.mmap(file, 0, mmap.MAP_SHARED, mmap.PROT_READ)
        for advice in (9, 12, 20, 21, 22, 23, 24, 25, 100, 101):
            try:
                page.madvise(advice)
                print("advice", advice)
            except OSError as error:
                assert error.errno == 1, (advice, error)
        for advice in (mmap.MADV_NORMAL, mmap.MADV_SEQUENTIAL, mmap.MADV_WILLNEED, mmap.MADV_DONTNEED):
            page.madvise(advice)
        try:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            print("thrown out")
        except OSError:
            pass
        assert os.preadv(file, [bytearray(4)], 0) == 4  # without flags it is an ordinary read
        try:
            os.preadv(file, [bytearray(4)], 0, os.RWF_NOWAIT)
            print("asked for")
        except OSError:
            pass
    """,
    )
    assert said == ""


@pytest.mark.parametrize("user", USERS)
def test_a_session_reads_its_limit_of_processor_time_and_cannot_lower_it(user):
    said = session(
        user,
        """
        import ctypes, resource
        limit = resource.getrlimit(resource.RLIMIT_CPU)
        libc = ctypes.CDLL(None, use_errno=True)
        two = (ctypes.c_ulong * 2)(1, 1)
        for attempt in (lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
                        lambda: resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))):
            try:
                attempt()
            except (ValueError, OSError):
                pass
        for kind in (0, 1 << 32):  # the kernel looks at the lower half
            libc.syscall(160, ctypes.c_long(kind), two)
            libc.syscall(302, 0, ctypes.c_long(kind), two, None)
        assert resource.getrlimit(resource.RLIMIT_CPU) == limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    """,
    )
    assert said == ""


@pytest.mark.parametrize("user", USERS)
def test_only_unix_sockets_exist(user):
    said = session(
        user,
        """
        import socket
        for family in range(1, 45):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                try:
                    socket.socket(family, kind).close()
                except OSError as error:
                    continue
                print(family, kind)
    """,
    )
    assert {line.split()[0] for line in said.splitlines()} == {"1"}  # AF_UNIX


@pytest.mark.parametrize("user", USERS)
def test_of_the_course_only_what_is_given_is_there(user, open_folder):
    course = open_folder / "course"
    for part in ("solutions", "data", ".git"):
        (course / part).mkdir(parents=True, exist_ok=True)
    for name in ("utils.py", "data/names.txt", "solutions/secret.ipynb", "gradebook.db"):
        (course / name).write_text("x\n")
    said = session(
        user,
        f"""
        import os
        print(sorted(os.listdir({str(course)!r})), os.listdir({str(course / "data")!r}), os.listdir('.'))
    """,
        readable=[str(course / "utils.py"), str(course / "data")],
    )
    assert said == "['data', 'utils.py'] ['names.txt'] []"


@pytest.mark.parametrize("user", USERS)
def test_hidden_folders_stay_hidden_inside_readable_ones(user, open_folder):
    outer = open_folder / "outer"
    for part in ("course/solutions", "course/data", "other"):
        (outer / part).mkdir(parents=True, exist_ok=True)
    said = session(
        user,
        f"""
        import os
        print(sorted(os.path.relpath(os.path.join(folder, name), {str(outer)!r})
                     for folder, names, _ in os.walk({str(outer)!r}) for name in names))
        os.mkdir({str(outer / "course" / "new")!r})
    """.replace("os.mkdir", "try: os.mkdir").rstrip()
        + "\n        except OSError: print('read-only')",
        readable=[str(outer), str(outer / "course" / "data")],
        hidden=[str(outer / "course")],
    )
    assert said == "['course', 'course/data', 'other']\nread-only"


@pytest.mark.parametrize("user", USERS)
def test_sessions_leave_nothing_to_the_next(user, open_folder):
    scratch = open_folder / "scratch"
    first, second = sessions(
        user,
        """
        import os
        for folder in (".", "/tmp", "/dev/shm"):
            open(os.path.join(folder, "left"), "w").close()
        os.environ["LEFT"] = "yes"
    """,
        """
        import os
        print(os.listdir("."), "left" in os.listdir("/tmp"), os.listdir("/dev/shm"), os.environ.get("LEFT"))
    """,
        scratch=str(scratch),
    )
    assert (first["code"], second["said"]) == (0, "[] False [] None")
    assert not scratch.exists()


@pytest.mark.parametrize("user", USERS)
def test_a_session_cannot_end_its_first_process_from_a_child(user):
    said = session(
        user,
        """
        import os, signal
        if os.fork() == 0:
            for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
                os.kill(1, number)
            os._exit(0)
        os.wait()
        print("still here", flush=True)
    """,
    )
    assert said == "still here"


def test_links_in_what_was_handed_in_lead_nowhere(open_folder):
    folder, secret = open_folder / "handed_in", open_folder / "secret.txt"
    (folder / "part").mkdir(parents=True)
    secret.write_text("secret\n")
    (folder / "link.txt").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    (folder / "part" / "answer.py").write_text("1\n")
    said = session(
        "ordinary",
        """
        import os
        print(sorted(os.listdir(".")), os.path.islink("link.txt"), os.path.exists("link.txt"), os.listdir("part"))
    """,
        folder=str(folder),
    )
    assert said == "['link.txt', 'loop', 'part'] True False ['answer.py']"


def test_what_was_handed_in_must_fit(open_folder):
    folder = open_folder / "too_large"
    folder.mkdir()
    (folder / "large.bin").write_bytes(bytes(2 << 20))
    (ended,) = sessions("ordinary", "", folder=str(folder), limits={"scratch_bytes": 1 << 20})
    assert "handed in could not be copied" in ended["error"] and "No space left" in ended["error"]


def test_files_that_only_root_can_read_are_named(open_folder):
    closed = open_folder / "utils_of_root.py"
    closed.write_text("")
    closed.chmod(0o600)
    (ended,) = sessions("root", "", readable=[str(closed)])
    assert f"{closed} cannot be read" in ended["error"] and "chmod" in ended["error"]


def test_the_environment_of_a_worker_holds_no_secrets(monkeypatch):
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    assert "hunter2" not in worker_environment().values() and "PATH" in worker_environment()


@pytest.mark.parametrize("scratch", ["relative", "/", "/tmp/../etc"])
def test_a_scratch_is_an_absolute_plain_path(scratch):
    with pytest.raises(ConfinementError, match="name a folder below / in full"):
        Confinement(Path(scratch))


def test_a_process_that_is_no_worker_confines_nothing():
    with pytest.raises(RuntimeError, match="enter_worker"):
        spawn_confined(Confinement(Path("/scratch")), lambda: None)


@pytest.mark.parametrize("user", USERS)
def test_a_killed_worker_takes_its_sessions_along(user):
    program = textwrap.dedent("""
        import os, sys, time
        from pathlib import Path
        from nbseal.confine import Confinement, enter_worker, spawn_confined
        enter_worker()
        def main():
            if os.fork() == 0:
                os.setsid()
            os.write(1, b".")
            time.sleep(60)
        spawn_confined(Confinement(Path("/scratch")), main, [1])
        time.sleep(60)
    """)
    worker = subprocess.Popen(command(user, "-c", program), stdout=subprocess.PIPE, cwd=ROOT)
    assert worker.stdout.read(2) == b".."
    worker.send_signal(signal.SIGKILL)
    began = time.monotonic()
    # all that could write are gone
    assert worker.stdout.read() == b"" and time.monotonic() - began < 10


# ---- What a session must be able to do -----------------------------------------------------------


@pytest.mark.parametrize("user", USERS)
def test_honest_work_goes_on_as_if_nothing_were_there(user, open_folder):
    folder = open_folder / "honest"
    (folder / "part").mkdir(parents=True, exist_ok=True)
    (folder / "handed_in.txt").write_text("mine\n")
    (folder / "part" / "deep.txt").write_text("deep\n")
    said = session(
        user,
        f"""
        import sys
        sys.path.insert(0, {str(SUPPORT)!r})
        import honest_work
        honest_work.main()
    """,
        warm=["torch", "matplotlib.pyplot"],
        folder=str(folder),
        readable=[str(SUPPORT)],
    )
    assert json.loads(said.splitlines()[-1]) == {}, said


@pytest.mark.parametrize("user", USERS)
def test_exit_codes_and_errors_come_through(user):
    ended = sessions(
        user,
        "raise SystemExit(3)",
        "1 / 0",
        "import os; os._exit(4)",
        "import ctypes; ctypes.string_at(0)",
    )
    assert [one["code"] for one in ended] == [3, 1, 4, -signal.SIGSEGV]
    assert "ZeroDivisionError" in ended[1]["said"]
