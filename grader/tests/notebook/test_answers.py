"""Answers that are kept: the same tensors come back, and take little room."""

import os
import random
import threading
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbseal.notebook import answers, examples
from nbseal.records import Answers, PackedAnswer, TestRecord

NOTEBOOK = nbformat.v4.new_notebook()
LARGE = random.Random(0).randbytes(200_000)


def test(name, *tensors):
    packed = (PackedAnswer(str(n), ["an outline", n], data) for n, data in enumerate(tensors))
    return TestRecord(name, "completed", tuple(packed))


test.__test__ = False  # type: ignore[attr-defined]
EXAMPLE = Answers("key", "torch", (test("a", LARGE, b"", b"1234"), test("b", LARGE[:999])))
NEARLY = bytes([LARGE[0] ^ 1]) + LARGE[1:-1] + bytes([LARGE[-1] ^ 128])


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    examples._examples.clear()


def place(root: Path, student: str = "ann", notebook: str = "nb") -> Path:
    return answers.place_of(root, "work", student, notebook)


def room_of(root: Path) -> int:
    """Bytes of all files below a folder, each counted once."""
    files = {path.stat().st_ino: path.stat() for path in root.rglob("*") if path.is_file()}
    return sum(about.st_size for about in files.values())


@pytest.mark.parametrize(
    "tests",
    [
        EXAMPLE.tests,
        (test("a", NEARLY, b"", b"1235"), test("b", LARGE[:999])),
        (test("a", LARGE[:50], b"new", b""), test("b", LARGE[1:1000], b"one more")),
        (test("b", b"another test"), test("c", LARGE)),
        (test("a"),),
        (),
    ],
)
@pytest.mark.parametrize("example", [EXAMPLE, None])
def test_what_is_kept_is_what_was_answered(tmp_path, tests, example):
    given = Answers("key", "torch", tests, example)
    answers.keep(place(tmp_path), given, NOTEBOOK)
    assert answers.kept(place(tmp_path), NOTEBOOK) == given


def test_a_class_takes_little_more_than_one(tmp_path):
    tests = (test("a", NEARLY, b"", b"1234"), test("b", LARGE[:999]))
    for number in range(20):
        given = Answers("key", "torch", tests, EXAMPLE)
        answers.keep(place(tmp_path, f"s{number}"), given, NOTEBOOK)
    assert len(LARGE) < room_of(tmp_path) < 1.2 * len(LARGE)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or path.stat().st_mode & 0o077 == 0, path


def test_an_example_goes_with_the_last_that_needs_it(tmp_path):
    first, second = place(tmp_path, "first"), place(tmp_path, "second")
    other = place(tmp_path, "first", "nb.more")  # of the same student
    for path in (first, second, other):
        answers.keep(path, replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    (shared,) = second.parent.glob("*.example")
    assert shared.stat().st_nlink == 3
    later = Answers("later", "torch", (test("a", LARGE[:-1]),))
    for path, links in ((first, 2), (other, 1)):  # graded again
        answers.keep(path, replace(later, example=later), NOTEBOOK)
        assert shared.stat().st_nlink == links
    assert len(list(first.parent.glob("*.example"))) == 2
    for path, said in ((first, later), (other, later), (second, EXAMPLE)):
        assert answers.kept(path, NOTEBOOK) == said


def test_without_links_each_has_a_copy(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refused)
    for student in "ab":
        answers.keep(place(tmp_path, student), replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
        assert answers.kept(place(tmp_path, student), NOTEBOOK) == EXAMPLE


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
        lambda path: path.write_bytes(b""),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_an_example_that_is_gone_or_damaged_says_nothing(tmp_path, harm):
    answers.keep(place(tmp_path), replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    (example,) = place(tmp_path).parent.glob("*.example")
    harm(example)
    assert answers.kept(place(tmp_path), NOTEBOOK) is None


def test_a_run_between_two_writes_of_another_takes_no_example_away(tmp_path, monkeypatch):
    path = place(tmp_path)
    later = Answers("later", "torch", (test("a", LARGE[:-1]),))
    other = threading.Thread(
        target=answers.keep, args=(path, replace(later, example=later), NOTEBOOK)
    )
    write = answers.write_whole

    def with_the_other_beside(*file) -> None:
        monkeypatch.setattr(answers, "write_whole", write)
        other.start()
        other.join(0.5)  # it waits, or would be done
        write(*file)

    monkeypatch.setattr(answers, "write_whole", with_the_other_beside)
    answers.keep(path, replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    other.join()
    assert answers.kept(path, NOTEBOOK) == later
    assert len(list(path.parent.glob("*.example"))) == 1


def test_an_example_that_was_cut_off_is_written_again(tmp_path):
    for student in "ab":
        answers.keep(place(tmp_path, student), replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    (example,) = place(tmp_path, "a").parent.glob("*.example")
    example.write_bytes(b"")  # of both, for it is one file
    for student in "ab":
        answers.keep(place(tmp_path, student), replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
        assert answers.kept(place(tmp_path, student), NOTEBOOK) == EXAMPLE


@pytest.mark.parametrize("cut", [1, 20, -1, -20])
def test_a_file_that_is_cut_off_says_nothing(tmp_path, cut):
    path = place(tmp_path)
    answers.keep(path, replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    path.write_bytes(path.read_bytes()[:cut])
    assert answers.kept(path, NOTEBOOK) is None


def test_a_file_that_claims_more_than_it_holds_says_nothing(tmp_path):
    path = place(tmp_path)
    answers.keep(path, replace(EXAMPLE, example=EXAMPLE), NOTEBOOK)
    line, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(line.replace(b"200000", b"100000") + b"\n" + rest)
    assert answers.kept(path, NOTEBOOK) is None
