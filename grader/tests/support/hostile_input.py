"""What the fuzzer of the trusted side draws: notebooks' files, what sessions say, answers, files,
markup; right ones with something wrong in them."""

import copy
import json
import math

import numpy as np
from hypothesis import strategies as st
from safetensors import numpy

WORDS = (
    *("cells", "cell_type", "source", "metadata", "nbgrader", "grade_id", "double", "double_test"),
    *("grade", "points", "solution", "locked", "task", "checksum", "schema_version", "outputs"),
    *("nbformat", "nbformat_minor", "id", "tags", "skip-execution", "attachments", "worksheets"),
    *("code", "markdown", "raw", "heading", "nbseal", "nbseal_repair", "text/plain", "text/html"),
    *("stream", "error", "display_data", "execute_result", "clear_output", "update_display_data"),
    *("comm_open", "comm_msg", "data", "name", "stdout", "ename", "evalue", "traceback", "wait"),
    *("msg_type", "content", "transient", "display_id", "buffers", "buffer_paths", "state", "text"),
    *("answer", "outline", "token", "end", "completed", "raised", "error", "used", "imported"),
    *("did", "how", "exited", "timed out", "ready", "status", "ok", "twice", "listed", "tensor"),
    *("not", "dict", "list", "tuple", "float", "complex", "nan", "called", "off", "looked"),
    *("\ud800", "\x1b[2J", "\u202e", "\0", "[/b]", "/etc/passwd", "../x", "NaN", "9" * 400),
)
texts = st.sampled_from(WORDS) | st.text(max_size=20)
scalars = st.none() | st.booleans() | texts | st.integers(-(2**70), 2**70) | st.floats(width=32)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=12,
)


@st.composite
def notebooks(draw, released) -> bytes:
    """A notebook's file: a right one with some of its parts exchanged, cut, doubled or damaged."""
    nb = json.loads(json.dumps(released))
    for _ in range(draw(st.integers(0, 6))):
        holder, key = _place(draw, nb)
        if key is None:
            continue
        match draw(st.sampled_from(("put", "put", "delete", "double", "add"))):
            case "put":
                holder[key] = draw(values)
            case "delete":
                del holder[key]
            case "double" if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case "add" if isinstance(holder, dict):
                holder[draw(texts)] = draw(values)
    text = json.dumps(nb).encode()
    match draw(st.sampled_from(("whole", "whole", "whole", "cut", "bytes", "twice", "print"))):
        case "cut":
            text = text[: draw(st.integers(0, len(text)))]
        case "bytes":
            at = draw(st.integers(0, len(text)))
            text = text[:at] + draw(st.binary(max_size=8)) + text[at + 3 :]
        case "twice":
            text += text
        case "print":
            text = repr(nb).encode("utf-8", "replace")
    return text


def _place(draw, value) -> tuple:
    """Somewhere in a value of lists and dictionaries: what holds it, and under which key."""
    holder, key = None, None
    for _ in range(draw(st.integers(1, 6))):
        keys = (
            list(value)
            if isinstance(value, dict)
            else range(len(value))
            if isinstance(value, list)
            else ()
        )
        if not keys:
            break
        holder, key = value, draw(st.sampled_from(list(keys)))
        value = holder[key]
    return holder, key


messages = st.fixed_dictionaries(
    {"msg_type": texts, "content": st.dictionaries(texts, values, max_size=6)},
    optional={"buffers": st.lists(texts, max_size=2), "header": values},
)
shaped = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: {"list": items}),
        st.lists(inner, max_size=4).map(lambda items: {"tuple": items}),
        st.lists(st.tuples(scalars, inner), max_size=4).map(lambda pairs: {"dict": pairs}),
        st.sampled_from(("nan", "inf", "-inf", "x")).map(lambda word: {"float": word}),
        st.integers(-1, 2).map(lambda number: {"tensor": number}),
        texts.map(lambda said: {"not": said}),
        st.tuples(inner, inner).map(lambda parts: {"complex": list(parts)}),
    ),
    max_leaves=10,
)
outlines = values | shaped | shaped
TENSORS = numpy.save({"0": np.array([math.nan, 1e308]), "1": np.zeros((0, 3), np.int8)})
blobs = st.one_of(
    st.binary(max_size=64),
    st.just(TENSORS),
    st.tuples(st.integers(0, len(TENSORS)), st.binary(max_size=6)).map(
        lambda cut: TENSORS[: cut[0]] + cut[1] + TENSORS[cut[0] + len(cut[1]) :]
    ),
)


@st.composite
def _noise(draw) -> list:
    """Frames that nobody asked for, or that are none. "TOKEN" and "TEST" are put in where they are
    known."""
    frames: list = []
    for _ in range(draw(st.sampled_from((0, 0, 0, 0, 1, 3)))):
        extra = draw(st.dictionaries(texts, values, max_size=4))
        match draw(st.sampled_from(("reply", "answer", "end", "ready", "any", "raw"))):
            case "reply":
                said = draw(st.lists(messages, max_size=4) | values)
                blob = json.dumps(said).encode("utf-8", "surrogatepass")
                frames.append((extra | {"did": "TOKEN"}, blob))
            case "answer":
                frames.append((extra | draw(_answers()), draw(blobs)))
            case "end":
                frames.append((extra | {"end": draw(texts), "token": "TEST"}, b""))
            case "ready":
                frames.append((extra | {"ready": "TEST"}, b""))
            case "any":
                frames.append((extra, draw(st.binary(max_size=9))))
            case "raw":
                frames.append(draw(st.binary(min_size=1, max_size=40)))
    return frames


def _answers():
    labels = st.sampled_from(("twice", "listed")) | texts
    return st.fixed_dictionaries({"answer": labels, "outline": outlines, "token": st.just("TEST")})


@st.composite
def scripts(draw) -> list[list]:
    """What a session says to each thing that it is told, mostly in the form that ours would."""
    cells = [
        (
            draw(st.dictionaries(texts, values, max_size=3)) | {"did": "TOKEN"},
            json.dumps(draw(st.lists(messages, max_size=5))).encode("utf-8", "surrogatepass"),
        )
        for _ in range(3)
    ]
    answers = [(draw(_answers()), draw(blobs)) for _ in range(draw(st.integers(0, 3)))]
    end = draw(st.dictionaries(st.sampled_from(("error", "used", "imported")), values))
    end |= {"end": draw(st.sampled_from(("completed", "raised"))), "token": "TEST"}
    told = [
        [cells[0]],
        [cells[1]],
        [({"ready": "TEST"}, b"")],
        [*answers, (end, b""), ({"did": "TOKEN", "how": draw(texts)}, b"")],
        [cells[2]],
    ]
    script = []
    for frames in told:
        kept = frames if draw(st.integers(0, 9)) else frames[: draw(st.integers(0, 1))]
        script.append([*draw(_noise()), *kept, *draw(_noise())])
    return script[: draw(st.sampled_from((5, 5, 5, 5, 4, 3, 1)))]


files = st.dictionaries(
    st.text(max_size=12)
    | st.lists(
        texts | st.sampled_from(("..", ".", "a", "tasks.ipynb", "tasks.html", ".git", "x.pth")),
        max_size=5,
    ).map("/".join),
    st.binary(max_size=12),
    max_size=6,
)
markup = st.lists(
    st.sampled_from(
        (
            "<script>",
            "</script>",
            "<svg/onload=x()>",
            "<img src=x onerror=x()>",
            "<a href='javascript:x()'>",
            "<style>",
            "<!--",
            "-->",
            "<math>",
            "<table>",
            "&lt;",
            "$$\\href{javascript:x()}{y}$$",
            "<iframe src=//x>",
            "]]>",
            "<![CDATA[",
            "<form action=x>",
            "style='x:url(//y)'",
            "`",
            "\0",
            "\ud800",
        )
    )
    | st.text(max_size=10),
    max_size=12,
).map("".join)
