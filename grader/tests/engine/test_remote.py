"""Orders and executions as bytes: nothing is lost on the way, and what a machine that was taken over
may say is what a session may say."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from nbseal import wire
from nbseal.engine import executions, remote
from nbseal.records import CellOrder, Execution, Limits, Order, PackedAnswer, Ran, TestRecord
from nbseal.view import CourseView

ORDER = Order(
    (CellOrder(0, "x = 1"), CellOrder(2, "expect('a', x)", "t", True, 1)),
    CourseView("/nowhere"),
    "key",
    Limits(output_bytes=100, answer_bytes=100),
    modules=("math",),
    accept_open=frozenset({"cpu", "disk"}),
    steps=((0,), (2,)),
)
ANSWER = PackedAnswer("a", {"tensor": 0}, b"\1\2\3")
CAME = Execution(
    {0: Ran(b"[]", {"status": "ok"})},
    {2: TestRecord("t", "completed", (ANSWER,), None, 1, ("op",), ("math",))},
    1.5,
    0.5,
    1 << 20,
    None,
    (("a/b.txt", b"x"),),
    shown=True,
)


class Pool:
    """In the place of warm workers: says what an order finds."""

    def run(self, order):
        course, folder = Path(order.course.root), Path(order.folder)
        seen = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
        assert order.course.files == ("shared.py", "data") and not order.course.hidden
        assert (course / "data/deep/x.bin").read_bytes() == bytes(range(256))
        assert set(seen) == {"same.csv", "sub/own.sh"} and seen["same.csv"].read_text() == "1,2"
        assert seen["sub/own.sh"].stat().st_mode & 0o777 == 0o755
        assert replace(order, course=ORDER.course, folder=None) == ORDER
        return CAME

    def close(self):
        pass


def test_nothing_is_lost_on_the_way(tmp_path, monkeypatch):
    course, given, handed = (tmp_path / name for name in ("c", "g", "h"))
    for folder in (course / "data" / "deep", given, handed / "sub"):
        folder.mkdir(parents=True)
    (course / "shared.py").write_text("UNIT = 1\n")
    (course / "data" / "deep" / "x.bin").write_bytes(bytes(range(256)))
    (given / "same.csv").write_text("1,2")
    (given / "solution.ipynb").write_text("secret")
    (handed / "same.csv").write_text("1,2")
    (handed / "sub" / "own.sh").write_text("mine")
    (handed / "sub" / "own.sh").chmod(0o755)
    (handed / "link").symlink_to("/etc/passwd")
    view = CourseView(str(course), ("shared.py", "data"), ("/hidden",))
    bundle, digests = remote.pack_bundle(view, given)
    data = remote.pack_order(replace(ORDER, course=view, folder=str(handed)), digests)
    assert b"secret" not in bundle and b"1,2" not in data and b"/hidden" not in data
    monkeypatch.setattr(remote, "WorkerPool", Pool)
    monkeypatch.setattr(remote, "require_closed", lambda accepted: None)
    came = remote.Host().execute(data, bundle, remote.digest(bundle))
    assert executions.unpack_execution(came, ORDER) == CAME


def test_an_execution_comes_back_as_it_was():
    assert executions.unpack_execution(executions.pack_execution(CAME), ORDER) == CAME


def _changed(change) -> bytes:
    data = executions.pack_execution(CAME)
    end = 4 + int.from_bytes(data[:4], "big")
    told = json.loads(data[4:end])
    change(told)
    text = json.dumps(told).encode()
    return len(text).to_bytes(4, "big") + text + data[end:]


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["ran"].update({"2": told["ran"].pop("0")}),  # a test that ran as a cell
        lambda told: told["ran"].update({"7": told["ran"].pop("0")}),  # a cell nobody asked for
        lambda told: told["ran"]["0"].update(messages=1000),  # more bytes than there are
        lambda told: told["ran"]["0"].update(messages=-1),
        lambda told: told["ran"]["0"].update(messages=0),  # bytes that belong to nothing
        lambda told: told["tests"].update({"0": told["tests"].pop("2")}),  # a cell as a test
        lambda told: told["tests"]["2"].update(outcome="passed"),
        lambda told: told["tests"]["2"]["answers"].extend(
            [{"label": "a", "outline": 1, "tensors": 0}] * 2  # more answers than checks
        ),
        lambda told: told["files"][0].__setitem__(0, "../up"),
        lambda told: told["files"][0].__setitem__(0, "/etc/x"),
        lambda told: told.update(seconds=float("nan")),
        lambda told: told.update(cpu_seconds=-1),
        lambda told: told.update(peak_memory="much"),
        lambda told: told.update(tests=5),
        lambda told: told.pop("problem"),
    ],
)
def test_what_a_session_could_not_have_said_is_refused(change):
    with pytest.raises(wire.WireError):
        executions.unpack_execution(_changed(change), ORDER)


def test_what_it_says_beyond_is_cut_to_size():
    def change(found):
        found["problem"] = "x" * 5000
        found["ran"]["0"]["reply"] = {"status": "error", "evalue": {"not": "text"}, "more": 1}
        found["tests"]["2"]["grade_id"] = "another"

    came = executions.unpack_execution(_changed(change), ORDER)
    assert len(came.problem) == 1000 and came.tests[2].grade_id == "t"
    assert came.ran[0].reply == {"status": "error", "ename": "Error", "evalue": "", "traceback": []}
    loud = replace(CAME, ran={0: Ran(b"x" * 100_000, {"status": "ok"})})
    large = replace(
        CAME, tests={2: TestRecord("t", "completed", (PackedAnswer("a", 1, b"x" * 300),))}
    )
    for execution in (loud, large):
        with pytest.raises(wire.WireError):
            executions.unpack_execution(executions.pack_execution(execution), ORDER)


@pytest.mark.parametrize(
    "data", [b"", b"garbage!", b"\0" * 8, b"\xff" * 8, executions.pack_execution(CAME)[:-1]]
)
def test_no_bytes_are_more_than_refused(data):
    with pytest.raises(wire.WireError):
        executions.unpack_execution(data, ORDER)
