"""Orders and executions as bytes: nothing is lost on the way, and what a machine that was taken over
may say is what a session may say."""

from dataclasses import replace

import pytest
from nbseal import wire
from nbseal.engine import executions, orders
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


def test_nothing_is_lost_on_the_way(tmp_path):
    course, given, handed, there = (tmp_path / name for name in ("c", "g", "h", "t"))
    for folder in (course / "data" / "deep", given, handed / "sub", there):
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
    bundle = orders.bundle(view, given)
    assert b"secret" not in bundle.data
    data = orders.pack_order(replace(ORDER, course=view, folder=str(handed)), bundle)
    assert b"1,2" not in data
    packed = orders.unpack_order(data)
    assert replace(packed.order, course=ORDER.course) == ORDER and packed.bundle == bundle.digest
    (there / "bundle").mkdir()
    (there / "handed").mkdir()
    seen = orders.open_bundle(bundle.data, there / "bundle")
    assert seen.files == view.files and not seen.hidden
    assert (there / "bundle/course/data/deep/x.bin").read_bytes() == bytes(range(256))
    packed.lay_out(there / "bundle", there / "handed")
    found = {str(p.relative_to(there / "handed")) for p in (there / "handed").rglob("*")}
    assert found == {"same.csv", "sub", "sub/own.sh"}
    assert (there / "handed/sub/own.sh").stat().st_mode & 0o777 == 0o755
    assert orders.identity(data) == orders.identity(
        orders.pack_order(replace(ORDER, course=view, folder=str(handed), modules=()), bundle)
    )


def test_an_execution_comes_back_as_it_was():
    assert executions.unpack_execution(executions.pack_execution(CAME, "here"), ORDER) == CAME


def _changed(change) -> bytes:
    message, blob = orders.unframed(executions.pack_execution(CAME, "here"))
    change(message["execution"])
    return orders.framed(message, blob)


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["ran"][0].__setitem__(0, 2),  # a test that says it ran as a cell
        lambda found: found["ran"][0].__setitem__(0, 7),  # a cell that nobody asked for
        lambda found: found["ran"][0].__setitem__(1, 1000),  # more bytes than there are
        lambda found: found["ran"][0].__setitem__(1, -1),
        lambda found: found["tests"][0].__setitem__(0, 0),  # a cell that says it is a test
        lambda found: found["tests"][0][1].update(outcome="passed"),
        lambda found: found["tests"][0][2].extend([["a", 1, 0]] * 2),  # more answers than checks
        lambda found: found["files"][0].__setitem__(0, "../up"),
        lambda found: found["files"][0].__setitem__(0, "/etc/x"),
        lambda found: found.update(seconds=float("nan")),
        lambda found: found.update(cpu_seconds=-1),
        lambda found: found.update(peak_memory="much"),
        lambda found: found.update(tests=5),
        lambda found: found.pop("problem"),
    ],
)
def test_what_a_session_could_not_have_said_is_refused(change):
    with pytest.raises(wire.WireError):
        executions.unpack_execution(_changed(change), ORDER)


def test_what_it_says_beyond_is_cut_to_size():
    def change(found):
        found["problem"] = "x" * 5000
        found["ran"][0][2] = {"status": "error", "evalue": {"not": "text"}, "more": 1}
        found["tests"][0][1]["grade_id"] = "another"

    came = executions.unpack_execution(_changed(change), ORDER)
    assert len(came.problem) == 1000 and came.tests[2].grade_id == "t"
    assert came.ran[0].reply == {"status": "error", "ename": "Error", "evalue": "", "traceback": []}
    loud = replace(CAME, ran={0: Ran(b"x" * 100_000, {"status": "ok"})})
    large = replace(
        CAME, tests={2: TestRecord("t", "completed", (PackedAnswer("a", 1, b"x" * 300),))}
    )
    for execution in (loud, large):
        with pytest.raises(wire.WireError):
            executions.unpack_execution(executions.pack_execution(execution, ""), ORDER)


@pytest.mark.parametrize(
    "data", [b"", b"garbage!", orders.framed({}), b"\0" * 8, orders.framed({})[:-1]]
)
def test_no_bytes_are_more_than_refused(data):
    for read in (orders.unpack_order, lambda data: executions.unpack_execution(data, ORDER)):
        with pytest.raises(wire.WireError):
            read(data)
