"""One submission being executed: what its cells may do to each other, to its tests, and to the
clock."""

import json
import threading
import time
from contextlib import suppress

import nbformat
import pytest
from nbseal import wire
from nbseal.engine.engine import Engine
from nbseal.engine.line import Line
from nbseal.records import Limits, Work
from support.engine_tools import code, error_of, executed, make_course, notebook, seen, text_of
from support.one_engine import limited

LIMITS = Limits(cell_seconds=2, session_seconds=40)

DOUBLE = code("def double(x):\n    return 2 * x", "double", solution=True)
TEST = code(
    "x = sample(3, seed=1)\n"
    "expect('by hand', double(3), 6, mistakes={'You added 2.': 5})\n"
    "### BEGIN HIDDEN TESTS\n"
    "expect('the first', double(x[0]), 2 * x[0], mistakes={'You added 2.': x[0] + 2})\n"
    "### END HIDDEN TESTS",
    "double_test",
    test=True,
)
SQUARE = code("def square(x):\n    return x * x", "square", solution=True)
SQUARE_TEST = code(
    "expect('square', square(sample(1, seed=2)[0]), sample(1, seed=2)[0] ** 2)",
    "square_test",
    test=True,
)
SETUP = code("from utils import *", "setup")
SOURCE = notebook(SETUP, DOUBLE, TEST, SQUARE, SQUARE_TEST)


@pytest.fixture(scope="module")
def engine(shared_engine):
    with limited(shared_engine, LIMITS) as engine:
        engine.prepare(SOURCE, SOURCE, name="n")
        yield engine


@pytest.fixture
def run(engine):
    def run(*cells, folder=None):
        """Execute cells as a submission; returns the result and its notebook."""
        nb = notebook(*cells)
        result = engine.submit(Work("ada", "n", nb, folder)).result(timeout=120)
        return result, executed(nb, result)

    return run


def passed(result):
    return {verdict.grade_id: verdict.passed for verdict in result.verdicts}


def test_a_right_solution_passes_and_shows_ticks(run):
    result, nb = run(SETUP, DOUBLE, TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": True, "square_test": True} and result.problem is None
    assert text_of(nb.cells[2]) == "✓ by hand\n✓ the first\n" and error_of(nb.cells[2]) is None


def test_a_test_that_python_does_not_compile_fails_by_itself_and_says_why(tmp_path):
    unreadable = code("expect('one', double(1), 2)\nreturn 3", "double_test", test=True)
    source = notebook(SETUP, DOUBLE, unreadable)
    with Engine(seen(make_course(tmp_path)), workers=1, limits=LIMITS) as engine:
        with pytest.raises(Exception, match="'return' outside function"):
            engine.prepare(source, source, name="n")


def test_a_wrong_solution_is_told_its_mistake_once_and_a_hidden_check_tells_no_more(run):
    result, nb = run(SETUP, "def double(x):\n    return x + 2", TEST)
    visible, hidden = result.verdicts[0].checks
    assert (visible.ok, visible.reason, visible.mistake) == (
        False,
        "got 5, wanted 6",
        "You added 2.",
    )
    assert (hidden.ok, hidden.hidden, hidden.reason, hidden.mistake) == (False, True, "", None)
    assert "wanted" in hidden.detail and "You added 2." in hidden.detail
    assert error_of(nb.cells[2]).traceback[-2:] == [
        "  → You added 2.",
        "\x1b[1;31m✗ the first\x1b[0m",
    ]


def test_inputs_are_other_ones_than_in_the_notebook(run):
    """A solution that has memorised what the notebook's key gives fails the hidden check, and only
    that."""
    result, _ = run(
        SETUP,
        "known = {3: 6, sample(3, seed=1)[0]: 2 * sample(3, seed=1)[0]}\ndouble = known.get",
        TEST,
    )
    assert [check.ok for check in result.verdicts[0].checks] == [True, False]


def test_a_student_s_own_sample_and_expect_change_nothing(run):
    result, _ = run(
        SETUP, DOUBLE, "def sample(*a, **k): return 1 / 0\nexpect = raises = None", TEST
    )
    assert passed(result) == {"double_test": True}


def test_patching_the_course_changes_nothing(run):
    result, _ = run(
        SETUP, DOUBLE, "import utils\nutils.sample = utils.snapshot = utils.expect = None", TEST
    )
    assert passed(result) == {"double_test": True}


def test_a_test_leaves_nothing_behind(run):
    _, nb = run(
        SETUP,
        DOUBLE,
        "x = 'mine'; import random; random.seed(3); first = random.random(); random.seed(3)",
        TEST,
        "x, random.random() == first, [n for n in dir() if 'course' in n]",
    )
    assert nb.cells[4].outputs[0].data["text/plain"] == "('mine', True, [])"


def test_what_a_test_prints_is_nobody_s(run):
    _, nb = run(
        SETUP,
        "import os, subprocess\ndef double(x):\n    print('inputs', x)\n    os.write(1, b'inputs')\n"
        "    subprocess.run(['echo', 'inputs'])\n    return 2 * x",
        TEST,
        "None",
    )
    assert "inputs" not in json.dumps([cell.outputs for cell in nb.cells])


@pytest.mark.parametrize(
    "harm, outcome",
    [
        ("import ctypes; ctypes.string_at(0)", "it crashed Python"),
        ("import os; os._exit(0)", "it crashed Python"),
        ("import os; os.kill(os.getpid(), 9)", "it crashed Python"),
        ("raise SystemExit", "your code raised SystemExit:"),
        ("raise KeyboardInterrupt", "your code raised KeyboardInterrupt:"),
        ("1 / 0", "your code raised ZeroDivisionError: division by zero"),
        ("while True: pass", "it took too long"),
        ("import time; time.sleep(100)", "it took too long"),
        (
            "raise type('Strange', (Exception,), {'__str__': lambda self: 1 / 0})",
            "your code raised Strange:",
        ),
    ],
)
def test_harm_in_a_test_costs_that_test_alone(run, harm, outcome):
    result, _ = run(SETUP, f"def double(x):\n    {harm}", TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": False, "square_test": True} and result.problem is None
    assert result.verdicts[0].checks[0].reason == outcome


def test_a_hidden_check_tells_no_name_that_a_student_could_have_made_up(run):
    body = (
        "def double(x):\n    if x == 3: return 6\n    raise type(f'Input{x}', (Exception,), {})(x)"
    )
    result, nb = run(SETUP, body, TEST)
    assert result.verdicts[0].checks[1].reason == "your code raised an exception"
    assert "Input" not in json.dumps(nb.cells[2].outputs)


def test_a_cell_that_takes_too_long_is_interrupted_and_the_next_one_runs(run):
    result, nb = run(SETUP, DOUBLE, "print('started')\nwhile True: pass", "print('after')", TEST)
    assert [output.get("ename") for output in nb.cells[2].outputs] == [
        None,
        "KeyboardInterrupt",
        "CellTimeoutError",
    ]
    assert (
        text_of(nb.cells[3]) == "after\n"
        and passed(result) == {"double_test": True}
        and result.problem is None
    )


def test_a_cell_that_awaits_too_long_is_interrupted_too(run):
    _, nb = run(SETUP, "import asyncio\nawait asyncio.sleep(100)", "print('after')")
    assert error_of(nb.cells[1]) is not None and text_of(nb.cells[2]) == "after\n"


def test_a_cell_that_cannot_be_interrupted_ends_the_session(run):
    stubborn = "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n    except KeyboardInterrupt: pass"
    result, nb = run(SETUP, DOUBLE, TEST, stubborn, SQUARE, SQUARE_TEST, "print('never')")
    assert passed(result) == {"double_test": True, "square_test": False}
    assert "Cell 4 did not stop after 2 s" in result.problem
    assert error_of(nb.cells[6]).ename == "NotExecuted"


@pytest.mark.parametrize(
    "end, said",
    [
        ("import os; os._exit(3)", "exited or crashed"),
        ("import ctypes; ctypes.string_at(0)", "exited or crashed"),
        ("import os; [os.close(n) for n in range(3, 50)]", "Cell 4"),
        ("import os, signal; os.kill(0, signal.SIGKILL)", ""),
    ],
)
def test_a_session_that_ends_keeps_what_it_had(run, end, said):
    result, _ = run(SETUP, DOUBLE, TEST, end, SQUARE, SQUARE_TEST)
    assert passed(result)["double_test"] is True
    assert (
        result.problem is None
        or said.lower() in result.problem.lower()
        or "cell 4" in result.problem
    )


def test_a_lock_held_by_a_thread_when_the_test_is_forked(run):
    """The forked child waits for it forever; run again without the fork, the same solution
    passes, also where it runs a loop of its own."""
    body = (
        "import asyncio, threading, time\nlock = threading.Lock()\n"
        "def hold():\n    while True:\n        with lock: time.sleep(0.05)\n        time.sleep(0.01)\n"
        "threading.Thread(target=hold, daemon=True).start()\ntime.sleep(0.2)\n"
        "def double(x):\n    with lock: return asyncio.run(asyncio.sleep(0, 2 * x))"
    )
    result, _ = run(SETUP, body, TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": True, "square_test": True}


def test_a_flood_of_output_is_cut(run):
    result, nb = run(SETUP, DOUBLE, "while True: print('x' * 10000)", TEST)
    assert len(text_of(nb.cells[2])) < 1.2e6 and "dropped" in text_of(nb.cells[2])
    assert passed(result) == {"double_test": True}


def test_text_that_no_file_can_hold_is_mended(run):
    result, _ = run(
        SETUP, "print('\\ud800')\nraise ValueError('\\udfff')", DOUBLE, TEST, "'\\ud800'"
    )
    assert passed(result) == {"double_test": True}
    for shown in (result, run(SETUP, "x = '\ud800'")[0]):
        json.dumps([cell.outputs for cell in shown.cells.values()], ensure_ascii=False).encode()


def test_the_student_s_tag_does_not_skip_a_test(run):
    tagged = code(TEST.source, "double_test", test=True, tags=["skip-execution"])
    result, _ = run(SETUP, "def double(x): return 0", tagged)
    assert passed(result) == {"double_test": False}


def test_a_second_copy_of_a_test_is_not_run(run):
    copy = code("print('the copy runs')", "double_test", test=True)
    result, nb = run(SETUP, DOUBLE, TEST, copy)
    assert [verdict.grade_id for verdict in result.verdicts] == ["double_test"] and not nb.cells[
        3
    ].outputs


def test_what_the_submission_s_copy_of_a_test_says_does_not_matter(run):
    result, _ = run(SETUP, "def double(x): return 0", code("pass", "double_test", test=True))
    assert passed(result) == {"double_test": False}


def test_files_handed_in_are_there_and_files_written_come_back(run, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.txt").write_text("handed in")
    (tmp_path / "helper.py").write_text("value = 7")
    result, nb = run(
        "open('sub/data.txt').read()",
        "import helper; helper.value",
        "open('new.txt', 'w').write('made');",
        folder=tmp_path,
    )
    assert [cell.outputs[0].data["text/plain"] for cell in nb.cells[:2]] == ["'handed in'", "7"]
    assert ("new.txt", b"made") in result.files and not any(
        name == "helper.py" for name, _ in result.files
    )


def test_a_module_beside_the_notebook_does_not_replace_the_engine_s(run, tmp_path):
    for name in ("utils", "json", "random", "ipykernel_launcher", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('mine')")
    result, _ = run(SETUP, DOUBLE, TEST, folder=tmp_path)
    assert passed(result) == {"double_test": True}


FORGE = """
import gc, json, socket, struct, os
def frames(*messages):
    for text in (json.dumps(m).encode() for m in messages):
        yield b"\\1" + struct.pack(">II", len(text), 0) + text
def channels():
    for n in os.listdir("/proc/self/fd"):
        try:
            s = socket.socket(fileno=os.dup(int(n)))
            s.getsockname()
            yield s
        except OSError:
            pass
"""


@pytest.mark.parametrize(
    "forgery",
    [
        "[b'garbage' * 100]",
        "[b'\\1garbage' * 100]",
        "[b'', b'\\1', b'\\1short', b'\\0']",
        "[b'\\1' + struct.pack('>II', 1 << 31, 0)]",
        "[b'\\1' + struct.pack('>II', 0, 0)]",
        "[b'\\1' + struct.pack('>II', 2, 0) + b'{} and more']",
        "frames({'did': 'x'}, {'answer': 'by hand'})",
        "frames([1])",
        "frames({'did': 3, 'status': 4})",
    ],
)
def test_forged_frames_gain_nothing_and_stop_nothing(run, forgery):
    result, _ = run(
        SETUP,
        FORGE,
        "def double(x): return 0",
        f"for s in channels():\n    for packet in {forgery}: s.sendall(packet)",
        TEST,
        DOUBLE,
        TEST,
    )
    assert passed(result) == {"double_test": False}


def test_frames_forged_inside_a_test_are_only_answers(run):
    body = (
        "def double(x):\n    for s in channels():\n        for t in list(gc.get_objects()):\n"
        "            if isinstance(t, dict) and 'token' in t:\n"
        "                for f in frames({'answer': 'by hand', 'outline': 6, 'token': t['token']},\n"
        "                    {'end': 'completed', 'token': t['token']}, {'did': t['token'], 'how': 'exited'}):\n"
        "                    s.sendall(f)\n    return 0"
    )
    result, _ = run(SETUP, FORGE, body, TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": False, "square_test": True}


@pytest.mark.parametrize("end", ["while True: pass", "os._exit(0)"])
@pytest.mark.parametrize("said", ["30, 5000", "4 << 20, 0", "0, 1 << 20"])
def test_a_test_that_breaks_off_in_the_middle_of_a_frame_costs_that_test_alone(run, said, end):
    """As one does whose time is over while it answers."""
    body = (
        "def double(x):\n"
        f"    for s in channels(): s.sendall(b'\\1' + struct.pack('>II', {said}) + b'{{'); sent[0] += 1\n"
        f"    {end}"
    )
    shared = "import mmap\nsent = mmap.mmap(-1, 8)"
    result, nb = run(SETUP, FORGE, shared, body, TEST, SQUARE, SQUARE_TEST, "sent[0] > 0")
    assert passed(result) == {"double_test": False, "square_test": True} and result.problem is None
    assert nb.cells[-1].outputs[0].data["text/plain"] == "True"  # it was armed


@pytest.mark.parametrize("free", [0, 1, 2, 3])
def test_a_notebook_that_has_used_up_its_descriptors_stops_at_no_test(run, free):
    use_up = (
        "import os\nheld = []\ntry:\n    while True: held.append(os.dup(0))\n"
        f"except OSError: print('armed')\nfor _ in range({free}): os.close(held.pop())"
    )
    let_go = "while held: os.close(held.pop())"
    result, nb = run(SETUP, DOUBLE, use_up, TEST, SQUARE, let_go, SQUARE_TEST)
    assert text_of(nb.cells[2]) == "armed\n"
    assert passed(result)["square_test"] and result.problem is None


@pytest.mark.parametrize(
    "odd",
    [
        "import os, sys\nwith os.fdopen(sys.stdout.fileno(), 'w') as out: print('hello', file=out)",
        "import os\nos.close(1), os.close(2)",
        "import socket\ndef guard(*a, **k): raise RuntimeError\nsocket.socket = socket.recv_fds = guard",
        "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "import os, sys\nif os.fork() == 0: sys.exit()",
        "import os\nif os.fork() == 0: 1 / 0",
        "import os\nos.fork()",
        "import os, threading\ndef reap():\n    while True:\n        try: os.waitpid(-1, 0)\n"
        "        except ChildProcessError: pass\nthreading.Thread(target=reap, daemon=True).start()",
    ],
)
def test_right_code_beside_odd_code_keeps_its_points(run, odd):
    result, _ = run(SETUP, odd, DOUBLE, TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": True, "square_test": True} and result.problem is None


@pytest.mark.parametrize("forked", ["os.fork()", "os.fork() or sys.exit()", "os.fork() or 1 / 0"])
def test_right_code_that_forks_and_goes_on_is_right(run, forked):
    body = f"import os, sys\ndef double(x):\n    {forked}\n    return 2 * x"
    result, _ = run(SETUP, body, TEST, SQUARE, SQUARE_TEST)
    assert passed(result) == {"double_test": True, "square_test": True} and result.problem is None


@pytest.mark.parametrize(
    "text, blob, ends_by",
    [
        (100, 0, "broke off"),  # their number
        (60_000, 0, "broke off"),  # what it takes to read them
        (100, 1 << 20, ""),  # the time of the test
    ],
)
def test_a_flood_of_frames_ends(run, text, blob, ends_by):
    body = (
        "import sys\nwire = sys.modules['nbseal.wire']\n"
        "def double(x):\n    for s in channels():\n        if s.type == socket.SOCK_SEQPACKET:\n"
        "            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)\n"
        f"            while True: wire.PacketChannel(s).send({{'a': 'x' * {text}}}, bytes({blob}))"
    )
    result, _ = run(SETUP, FORGE, body, TEST)
    assert passed(result) == {"double_test": False} and ends_by in (result.problem or "")
    assert result.seconds < LIMITS.cell_seconds + 8


def test_frames_that_nobody_asked_for_do_not_move_a_deadline():
    """However fast whole ones come."""
    line, stop = Line(LIMITS, 0), threading.Event()
    theirs = wire.PacketChannel(line.theirs)

    def flood():
        with suppress(wire.WireError):
            while not stop.is_set():
                theirs.send({"a": 1}, bytes(1 << 20))

    thread = threading.Thread(target=flood)
    thread.start()
    started = time.monotonic()
    with pytest.raises(wire.Late):
        line.reply("token", started + 0.3)
    assert time.monotonic() - started < 5
    stop.set()
    line.close()
    thread.join()


def test_no_key_and_no_test_is_in_a_session_before_a_test(run):
    """Everything that garbage collection, frames and the environment can show."""
    search = (
        "import gc, os, sys\ndef texts():\n    for o in gc.get_objects():\n        if isinstance(o, dict):\n"
        "            yield from (v for v in list(o.values()) if isinstance(v, str))\n"
        "found = [t for t in texts() if 'the fir' + 'st' in t or '_course_ex' + 'pect' in t]\n"
        "print(len(found), [k for k in os.environ if 'KEY' in k])"
    )
    _, nb = run(SETUP, search, DOUBLE, TEST, search)
    assert text_of(nb.cells[1]) == text_of(nb.cells[4]) == "0 []\n"


def test_answers_too_large_to_judge_cost_that_test_alone(run):
    """Many megabytes of nested lists, which would have to be read by the judge."""
    result, _ = run(
        SETUP, "def double(x): return [['x' * 1000] * 50] * 200", TEST, SQUARE, SQUARE_TEST
    )
    assert passed(result) == {"double_test": False, "square_test": True} and result.problem is None


def test_output_in_any_alphabet_is_kept(run):
    _, nb = run("print('é😀' * 100_000)")
    assert text_of(nb.cells[0]) == "é😀" * 100_000 + "\n"


def test_processes_that_a_test_starts_end_with_it(run):
    body = (
        "import subprocess\ndef double(x):\n    subprocess.Popen(['sleep', '77'])\n    return 2 * x"
    )
    _, nb = run(SETUP, body, TEST, "!ps -e -o args 2>/dev/null | grep -c 'sleep [7]7'")
    assert text_of(nb.cells[3]).strip() in ("0", "")


def test_damaged_notebooks_are_reported_not_raised(engine):
    for damaged in (
        None,
        nbformat.from_dict({}),
        nbformat.from_dict({"cells": 3, "nbformat": 4}),
        nbformat.from_dict({"cells": [{"cell_type": "code"}]}),
    ):
        result = engine.submit(Work("ada", "n", damaged)).result(timeout=30)
        assert "not a notebook" in result.problem or result.verdicts == ()
