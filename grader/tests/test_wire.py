"""Frames and answers: what is sent arrives, and what a student's process makes up is refused."""

import errno
import json
import math
import socket
import threading
import time
from contextlib import suppress

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from nbseal import checks, packing, wire
from nbseal.records import NotAnswer
from safetensors.torch import save


@pytest.fixture(params=[wire.Channel, wire.PacketChannel])
def ends(request):
    ours, theirs = request.param.pair()
    other = request.param(theirs)
    yield ours, other
    ours.close()
    other.close()


def send_raw(channel, data, begin=wire.FIRST):
    """Bytes that are no frame of ours, as each kind of line carries them."""
    if not isinstance(channel, wire.PacketChannel):
        return channel.sock.sendall(data)
    for at in range(0, len(data), wire.PACKET):
        channel.sock.send(begin + data[at : at + wire.PACKET])
        begin = wire.MORE


def soon():
    return time.monotonic() + 0.1


def test_a_frame_arrives_whole(ends):
    ours, theirs = ends
    blob = bytes(range(256)) * 20_000  # larger than a socket's buffer
    threading.Thread(target=ours.send, args=({"a": "é\ud800"}, blob)).start()
    assert theirs.receive(deadline=time.monotonic() + 5) == ({"a": "é\ud800"}, blob)


@pytest.mark.parametrize(
    "raw, error",
    [
        (wire.HEADER.pack(1 << 31, 0), "larger than allowed"),
        (wire.HEADER.pack(2, 1 << 31) + b"{}", "larger than allowed"),
        (wire.HEADER.pack(3, 0) + b"{a}", "not JSON"),
        (wire.HEADER.pack(2, 0) + b"[]", "not a JSON object"),
        (wire.HEADER.pack(200_000, 0) + b"[" * 200_000, "not JSON"),
        (wire.HEADER.pack(6000, 0) + b"9" * 6000, "not JSON"),
    ],
)
def test_a_broken_frame_is_refused(ends, raw, error):
    ours, theirs = ends
    threading.Thread(target=send_raw, args=(ours, raw)).start()
    with pytest.raises(wire.WireError, match=error):
        theirs.receive(deadline=time.monotonic() + 5)


def test_a_frame_that_never_ends_is_late_not_forever(ends):
    ours, theirs = ends
    send_raw(ours, wire.HEADER.pack(100, 0) + b"{")
    with pytest.raises(wire.Late):
        theirs.receive(deadline=soon())


def test_bytes_that_trickle_do_not_move_the_deadline(ends):
    ours, theirs = ends
    send_raw(ours, wire.HEADER.pack(1000, 0))
    stop = threading.Event()

    def trickle():
        while not stop.wait(0.02):
            send_raw(ours, b" ", wire.MORE)

    threading.Thread(target=trickle).start()
    started = time.monotonic()
    with pytest.raises(wire.Late):
        theirs.receive(deadline=time.monotonic() + 0.3)
    stop.set()
    assert time.monotonic() - started < 1


def test_a_closed_end_is_said(ends):
    ours, theirs = ends
    ours.close()
    with pytest.raises(wire.Closed):
        theirs.receive(deadline=soon())


def test_nobody_reads_and_sending_still_ends(ends):
    ours, _ = ends
    with pytest.raises(wire.Late):
        ours.send({}, b"x" * (8 << 20), deadline=soon())


@pytest.fixture
def packets():
    ours, theirs = wire.PacketChannel.pair()
    other = wire.PacketChannel(theirs)
    yield ours, other
    ours.close()
    other.close()


@pytest.mark.parametrize("cut", [0, 5, wire.HEADER.size, 40, wire.PACKET, 3 * wire.PACKET])
def test_a_frame_that_was_broken_off_does_not_reach_the_next(packets, cut):
    ours, theirs = packets
    frame = wire.HEADER.pack(2, 4 * wire.PACKET) + b"{}" + bytes(4 * wire.PACKET)
    ours.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * wire.PACKET)
    send_raw(ours, frame[:cut])
    ours.send({"next": 1}, b"whole")
    assert theirs.receive(deadline=soon()) == ({"next": 1}, b"whole")


@pytest.mark.parametrize(
    "packet, seconds, error",
    [
        (wire.FIRST, 10, "too many pieces"),
        (wire.MORE, 10, "too many pieces"),
        (wire.MORE + bytes(wire.PACKET), 0.1, "came in time"),
    ],
)
def test_packets_that_make_no_frame_end_however_many_come(packets, packet, seconds, error):
    ours, theirs = packets
    stop = threading.Event()

    def flood():
        while not stop.is_set():
            with suppress(OSError):
                ours.sock.send(packet, socket.MSG_DONTWAIT)

    threading.Thread(target=flood).start()
    with pytest.raises(wire.WireError, match=error):
        theirs.receive(deadline=time.monotonic() + seconds)
    stop.set()


def test_a_frame_longer_than_it_says_is_refused(packets):
    ours, theirs = packets
    send_raw(ours, wire.HEADER.pack(2, 1) + b"{}xy")
    with pytest.raises(wire.WireError, match="longer than it says"):
        theirs.receive(deadline=soon())


def test_a_descriptor_travels_with_a_frame():
    ours, other = wire.Channel.pair()
    theirs = wire.Channel(other)
    one, two = socket.socketpair()
    with one, two:
        ours.send({"take": 1}, fds=(two.fileno(),))
        assert theirs.receive(with_fds=1)[0] == {"take": 1}
        received = socket.socket(fileno=theirs.received_fds[0])
        one.sendall(b"hello")
        assert received.recv(5) == b"hello"
        received.close()
    ours.close()
    theirs.close()


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(
            st.text() | st.integers(-(2**31) + 1, 2**31 - 1) | st.none(), inner, max_size=4
        )
    ),
    max_leaves=12,
)


def same(one, other):
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(same(one[key], other[key]) for key in one)
        )
    return type(one) is type(other) and one == other


@settings(max_examples=60, deadline=None)
@given(PLAIN)
def test_plain_answers_arrive_bit_by_bit(answer):
    outline, blob = packing.pack(answer)
    assert same(answer, packing.unpack(json.loads(json.dumps(outline)), blob))


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8, torch.bool]
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_tensors_arrive_bit_by_bit(dtype, shape):
    tensor = torch.ones(shape, dtype=dtype)
    (back,) = packing.unpack(*packing.pack([tensor]))
    assert back.dtype == dtype and back.shape == tensor.shape and torch.equal(back, tensor)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.complex64,
        torch.int8,
        torch.uint16,
        torch.bool,
    ],
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_tensors_are_written_as_safetensors_itself_writes_them(dtype, shape):
    tensors = {"0": torch.ones(shape).to(dtype), "1": torch.arange(5.0)[1:4]}
    assert packing.pack(list(tensors.values()))[1] == save(tensors)


@pytest.mark.parametrize(
    "tensor", [torch.ones(3, 2).T, torch.eye(2).to_sparse(), torch.empty(2, device="meta")]
)
def test_a_tensor_that_is_not_in_memory_in_one_piece_is_no_answer(tensor):
    assert "one piece" in packing.unpack(*packing.pack(tensor)).description


def test_what_cannot_travel_is_described():
    assert isinstance(
        packing.unpack(*packing.pack(torch.ones(2, dtype=torch.complex128))),
        (NotAnswer, torch.Tensor),
    )
    assert "digits" in packing.unpack(*packing.pack(10**6000)).description
    assert "MB" in packing.unpack(*packing.pack(torch.zeros(1000), max_bytes=100)).description
    assert isinstance(packing.unpack(*packing.pack(object())), NotAnswer)


def nested(depth):
    return [nested(depth - 1)] if depth else 0


def test_deep_nesting_is_described_not_followed():
    assert isinstance(packing.unpack(*packing.pack(nested(50))), NotAnswer)


@pytest.mark.parametrize(
    "outline, blob",
    [
        ({"tensor": 0}, b""),
        ({"tensor": 0}, b"garbage"),
        ({"tensor": 0}, b"\xff" * 64),
        ({"pickle": "x"}, b""),
        ([1, 2], b""),
        ({"tuple": 3}, b""),
        ({"dict": [[1]]}, b""),
        ({"dict": [[{"list": []}, 1]]}, b""),
        ({"float": "1"}, b""),
        ({"float": []}, b""),
        ({"complex": ["x"]}, b""),
        ({"tensor": {"a": 1}}, b""),
        ({}, b""),
        ({"list": [], "tuple": []}, b""),
        (json.loads('{"list":[' * 200 + "1" + "]}" * 200), b""),
    ],
)
def test_made_up_answers_are_refused(outline, blob):
    with pytest.raises(wire.WireError):
        packing.unpack(outline, blob)


@pytest.mark.parametrize("key", [2**61 - 1, 2**31, -(2**31), 2.0**61, 10**400])
def test_keys_that_can_be_chosen_to_have_one_hash_are_refused(key):
    """A dict of 20,000 multiples of 2**61 - 1 takes seconds to be made, by sender and receiver."""
    with pytest.raises(checks.NotAnAnswer, match="as a key"):
        checks.snapshot({key: 1})
    with pytest.raises(wire.WireError):
        packing.unpack({"dict": [[key, 1]]}, b"")
    for fine in (2**31 - 1, -5, 0.5, float("inf")):
        assert packing.unpack(*packing.pack(checks.snapshot({fine: 1}))) == {fine: 1}


def test_text_that_no_file_can_hold_is_mended():
    packing.unpack("\ud800", b"").encode()


def test_descriptors_are_sent_once_others_have_let_go_of_theirs(monkeypatch):
    """The kernel counts those on their way for all processes of a user."""
    really, refused = socket.send_fds, [errno.ETOOMANYREFS] * 2

    def send(*arguments):
        if refused:
            raise OSError(refused.pop(), "Too many references")
        return really(*arguments)

    monkeypatch.setattr(socket, "send_fds", send)
    ours, theirs = wire.Channel.pair()
    other = wire.Channel(theirs)
    ours.send({"do": "x"}, fds=(theirs.fileno(),))
    assert other.receive(with_fds=1)[0] == {"do": "x"} and len(other.received_fds) == 1
    refused += [errno.ETOOMANYREFS] * 1000
    with pytest.raises(wire.Late):
        ours.send({"do": "x"}, deadline=time.monotonic() + 0.2, fds=(theirs.fileno(),))
    ours.close(), other.close()
