"""Ctrl-C, a batch system's end, a closed terminal, Ctrl-\\: one way to end, and no traceback."""

import signal
import subprocess
import sys

import pytest

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
WAIT = "\nprint('ready', flush=True)\nimport time; time.sleep(20)"


def ended_by(number, code, before=signal.SIG_DFL):
    """Exit code and what was said, of a program that got a signal while it waited."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: [
            signal.signal(one, signal.default_int_handler if one == signal.SIGINT else before)
            for one in SIGNALS
        ],
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    said = process.communicate(timeout=30)[0]
    return process.returncode, said


@pytest.mark.parametrize("number", SIGNALS)
def test_a_command_that_is_being_loaded_ends_without_a_word(number):
    code = "from nbseal.interrupts import leave_quietly; leave_quietly(lambda: print('tidied'))"
    assert ended_by(number, code + WAIT) in [(130, ""), (130, "tidied\n")]


@pytest.mark.parametrize("number", SIGNALS)
def test_afterwards_each_of_them_is_an_interrupt(number):
    code = (
        "from nbseal.interrupts import raise_interrupt; raise_interrupt()\ntry:"
        + WAIT.replace("\n", "\n    ")
        + "\nexcept KeyboardInterrupt: print('saved'); raise SystemExit(130)"
    )
    assert ended_by(number, code) == (130, "saved\n")


def test_what_nohup_has_ignored_stays_ignored():
    code = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from nbseal.interrupts import raise_interrupt, leave_quietly\n"
        "leave_quietly(); raise_interrupt()\n"
        "assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN\n"
        "import os; os.kill(os.getpid(), signal.SIGHUP); print('ready', flush=True)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (process.returncode, process.stdout, process.stderr) == (0, "ready\n", "")


@pytest.mark.parametrize("number", SIGNALS)
def test_the_command_itself_ends_so_from_its_first_import(number, tmp_path):
    code = (
        "import sys; sys.argv[:] = ['-m']; import nbseal; print('ready', flush=True)\n"
        "from nbseal.cli import main; import time; time.sleep(20)"
    )
    assert ended_by(number, code) == (130, "")


HELD = """
import os, signal
from nbseal.interrupts import held_back, raise_interrupt
raise_interrupt()
def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
try:
    with held_back():
        {inside}
        print("saved")
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


@pytest.mark.parametrize(
    "inside, said",
    [
        ("pass", "saved\nwent on\n"),
        ("interrupted()", "saved\ninterrupted\n"),
        ("interrupted(); interrupted()", "interrupted\n"),
        ("with held_back(): interrupted()", "saved\ninterrupted\n"),
        ("interrupted(); raise ValueError", "interrupted\n"),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); interrupted()", "saved\ninterrupted\n"),
    ],
)
def test_an_interrupt_waits_until_what_is_saved_is_also_told(inside, said):
    process = subprocess.run(
        [sys.executable, "-c", HELD.format(inside=inside)], capture_output=True, text=True
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, said, "")


FORKS = """
import os, signal
from nbseal.apart import Apart
from nbseal.interrupts import raise_interrupt
raise_interrupt()
# as logging does, and many a library: a function that Python calls after a fork, and there it comes
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
def fork():
    if os.fork() == 0:
        os._exit(0)
def read():
    print(Apart({{"answer": lambda request: request}}).ask("answer", {{"is": 42}}))
try:
    {does}
    print("lost")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there something is read apart")
@pytest.mark.parametrize("does, said", [("fork()", "lost\n"), ("read()", "interrupted\n")])
def test_an_interrupt_in_the_middle_of_a_fork_is_not_lost(does, said):
    """The first shows that it would be."""
    process = subprocess.run(
        [sys.executable, "-c", FORKS.format(does=does)], capture_output=True, text=True, timeout=60
    )
    assert (process.returncode, process.stdout) == (0, said), process.stderr
