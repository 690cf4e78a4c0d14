"""What a submission's folder is called, and what lies in it, concerns nobody else: it is named, or
left out, and the class is graded."""

import json
import os
import shutil
from pathlib import Path

import pytest
from nbseal import folders
from support.classroom import ASSIGNMENT, NOTEBOOK, Classroom

FULL = {"double_test": 2.0, "square_test": 3.0}
NO_ID = {
    "new\nline": "a line break",
    "tab\tled": "a line break",
    "\x1b[31mred": "a line break",
    "[x]": "a pattern",
    "st*r": "a pattern",
    "wh?": "a pattern",
    " lead": "a space",
    "trail ": "a space",
    "..x": "a dot",
    "x" * 200: "128 characters",
    os.fsdecode(b"\xff\xfe"): "UTF-8",
}
IDS = [
    "-dash",
    "a b",
    "a..b",
    "{brace}",
    "per%cent",
    "quo'te",
    "semi;colon",
    "é",
    "~",
    "\u202eevil",
]


def _copied(room: Classroom, student: str) -> Path:
    """Another student hands in what ada did; returns the folder."""
    return shutil.copytree(room.folder("ada"), room.folder(student))


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("named"))
    room.hand_in("ada")
    for student in (*NO_ID, *IDS, "zoe"):
        _copied(room, student)
    return room, room.autograde("--workers", "2", "--json", "record.json")


def test_a_folder_whose_name_is_no_id_is_named_and_the_others_are_graded(named):
    room, done = named
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    record = json.loads((room.root / "record.json").read_text())
    status = {one["student"]: one for one in record["submissions"]}
    assert set(status) == {*NO_ID, *IDS, "ada", "zoe"}
    for student, why in NO_ID.items():
        assert status[student]["status"] == "failed" and why in status[student]["problem"]
        assert "rename the folder" in status[student]["problem"]
        assert why in done.stderr
    for student in (*IDS, "ada", "zoe"):
        assert status[student]["status"] == "graded" and room.scores(student) == FULL, student
    assert not {"\x1b", "\u202e"} & {*done.stderr, *done.stdout}
    assert f"{len(NO_ID)} of {len(NO_ID) + len(IDS) + 2} submissions" in done.stderr


def _timestamp(content: bytes):
    return lambda folder: (folder / "timestamp.txt").write_bytes(content)


def _replaced(make):
    def change(folder: Path) -> None:
        notebook = folder / f"{NOTEBOOK}.ipynb"
        notebook.unlink()
        make(notebook)

    return change


def _strange_files(folder: Path) -> None:
    for name in (
        b"\xff\xfe",
        b"n\nl",
        b"\x1b[2J",
        b"x" * 255,
        b"a\nb.ipynb",
        b"\xff.ipynb",
        b"[x].ipynb",
    ):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("{}")


def _programs(folder: Path) -> None:
    for name in ("nbgrader_config.py", "conftest.py", "x.pth", ".git/hooks/post-checkout"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("raise SystemExit")
    (folder / f"{NOTEBOOK}.html").mkdir()
    (folder / f"{NOTEBOOK}.html" / "x").write_text("x")


def _deep(folder: Path) -> None:
    (folder / Path(*["d"] * 200)).mkdir(parents=True)


def _links(folder: Path) -> None:
    for number in range(50):
        (folder / f"up{number}").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    (folder / "outside").symlink_to("/etc/passwd")
    (folder / "inside").symlink_to(f"{NOTEBOOK}.ipynb")


def _sparse(folder: Path) -> None:
    with open(folder / "large.bin", "wb") as file:
        file.truncate(1 << 40)


def _many(folder: Path) -> None:
    for number in range(5000):
        (folder / f"{number}.txt").touch()


def _shadows(folder: Path) -> None:
    """A file where the instructor has a folder, and a folder where she has a file."""
    (folder / "given").write_text("x")
    (folder / "names.txt").mkdir()
    (folder / "names.txt" / "x").write_text("x")


TIMELESS = {
    "time_is_a_folder": lambda folder: (folder / "timestamp.txt").mkdir(),
    "time_is_a_pipe": lambda folder: os.mkfifo(folder / "timestamp.txt"),
    "time_is_a_device": lambda folder: (folder / "timestamp.txt").symlink_to("/dev/zero"),
    "time_is_no_text": _timestamp(b"\xff\xfe"),
    "time_is_long": _timestamp(b"9" * 5000),
    "time_is_far": _timestamp(b"9" * 150),
}
FLAGGED = {
    "deep": (_deep, "20 deep"),
    "sparse": (_sparse, "512 MB"),
    "many": (_many, "1,000 files"),
}
UNHARMED = {
    "strange_files": _strange_files,
    "programs": _programs,
    "links": _links,
    "shadows": _shadows,
    "pipe": lambda folder: os.mkfifo(folder / "pipe"),
}
NO_NOTEBOOK = {
    "notebook_is_a_pipe": _replaced(os.mkfifo),
    "notebook_is_a_folder": _replaced(os.mkdir),
    "notebook_is_a_link": _replaced(lambda path: path.symlink_to("/etc/passwd")),
    "notebook_is_a_device": _replaced(lambda path: path.symlink_to("/dev/zero")),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("filled"))
    room.hand_in("ada")
    given = room.source.parent
    (given / "given").mkdir()
    (given / "given" / "data.txt").write_text("of the course")
    (given / "names.txt").write_text("of the course")
    flagged = {student: change for student, (change, _) in FLAGGED.items()}
    for student, change in (TIMELESS | flagged | UNHARMED | NO_NOTEBOOK).items():
        change(_copied(room, student))
    _copied(room, "zoe")
    return room, room.autograde("--workers", "2", "--json", "record.json")


def test_whatever_lies_in_a_folder_everybody_is_graded(filled):
    room, done = filled
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    for student in ("ada", "zoe", *UNHARMED):
        assert room.scores(student) == FULL and not room.is_flagged(student), student
    for student in (*TIMELESS, *FLAGGED):
        assert room.scores(student) == FULL and room.is_flagged(student), student
    for student in NO_NOTEBOOK:
        assert set(room.scores(student).values()) == {0} and room.is_flagged(student), student
        assert f"{student}: {NOTEBOOK}.ipynb is " in done.stderr
    assert all(f"{student}" in done.stderr for student in TIMELESS)


def test_what_is_too_much_is_named_with_its_limit_and_costs_no_time(filled):
    room, done = filled
    record = json.loads((room.root / "record.json").read_text())
    writer = {one["student"]: one["writer_seconds"] for one in record["submissions"]}
    for student, (_, limit) in FLAGGED.items():
        assert limit in room.comments(student) and limit in done.stderr
        assert not [
            path for path in room.folder(student, "autograded").iterdir() if path.name.isdigit()
        ]
        assert writer[student] < 5  # 33 with nbgrader's own walk


def test_results_hold_nothing_that_others_run_or_read(filled):
    room, _ = filled
    for student in ("ada", "zoe", *UNHARMED, *TIMELESS, *FLAGGED):
        folder = room.folder(student, "autograded")
        assert (folder / "given" / "data.txt").read_text() == "of the course"
        assert (folder / "names.txt").read_text() == "of the course"
    names = {path.name for path in room.folder("programs", "autograded").rglob("*")}
    assert names == {f"{NOTEBOOK}.ipynb", "given", "data.txt", "names.txt"}
    assert not (room.folder("links", "autograded") / "outside").exists()
    done = room.nbgrader("generate_feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_second_run_with_such_times_waits_for_nothing(filled):
    """nbgrader reads the times again, to see whether something newer was handed in."""
    room, _ = filled
    done = room.autograde()
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "time_is_a_pipe is graded already" in done.stderr


def test_names_are_ignored_as_nbgrader_does(tmp_path):
    from nbgrader.utils import find_all_files

    for name in (
        "a.txt",
        "a.pyc",
        ".a.pyc",
        "feedback/a",
        "sub/feedback/a",
        "sub/.hidden",
        "A.PYC",
        "[a]/b",
        "sub/__pycache__/c",
        ".ipynb_checkpoints/d",
        "x.ipynb",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.ipynb"]
    ours, left_out = folders.ordinary_files(tmp_path, ignore)
    nbgraders = {os.path.relpath(path, tmp_path) for path in find_all_files(str(tmp_path), ignore)}
    assert set(ours) == nbgraders and not left_out


def test_a_session_adds_no_flood_of_files(tmp_path):
    written = [(f"{number:05}", b"") for number in range(1500)] + [("/".join("a" * 30), b"")]
    left_out = folders.write_session_files(written, tmp_path, ())
    assert len(left_out) == 501 and len(list(tmp_path.iterdir())) == folders.MOST_FILES
