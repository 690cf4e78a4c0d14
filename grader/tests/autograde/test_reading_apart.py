"""A submission that keeps the reading of it busy, fills its memory or crashes it: one sentence, 0
points, a flag; nobody else notices."""

import nbformat
import pytest
from support.classroom import RIGHT, Classroom

FULL = {"double_test": 2.0, "square_test": 3.0}
# What Python's parser would have to be like for each of these to happen, for a text that nobody
# else writes.
LIMITS = """
import ast, os
from nbseal import apart
apart.SECONDS, apart.MEMORY = 1, 512 << 20
parse, own = ast.parse, os.getpid()
def bewitched(source, *more, **others):
    here = os.getpid() == own  # never in the process that grades
    if isinstance(source, str) and "bewitched" in source:
        assert not here
        if "spins" in source:
            while True: pass
        if "fills" in source:
            kept = [bytearray(1 << 26) for _ in range(1000)]
        if "crashes" in source:
            os.abort()
    return parse(source, *more, **others)
ast.parse = bewitched
"""
WAYS = ["spins", "fills", "crashes"]


def _edited(nb) -> None:
    """Marks that say nothing any more, so that the notebook is rebuilt, and its cells are read."""
    for cell in nb.cells:
        cell.metadata.pop("nbgrader", None)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    room = Classroom(tmp_path_factory.mktemp("apart"), config=LIMITS)
    for way in WAYS:
        double = f"{RIGHT['double']}\nbewitched = '{way}'"
        room.hand_in(f"planned_{way}", double=double)  # read for the order of its tests
        room.hand_in(f"repaired_{way}", change=_edited, double=double)  # and before, to be rebuilt
    room.hand_in("ada")
    room.hand_in("zoe", change=_edited)
    return room, room.autograde("--workers", "2")


def test_the_class_is_graded_whatever_one_source_does_to_its_reader(graded):
    room, done = graded
    assert "Traceback" not in done.stderr, done.stderr
    assert room.scores("ada") == room.scores("zoe") == FULL
    # what Python's parser has no memory for is no Python: its tests do not share a process
    assert room.scores("planned_fills") == FULL
    assert not room.is_flagged("ada")


@pytest.mark.parametrize(
    "student", ["planned_spins", "planned_crashes", *(f"repaired_{way}" for way in WAYS)]
)
def test_such_a_submission_has_one_sentence_no_points_and_a_flag(graded, student):
    room, _ = graded
    assert set(room.scores(student).values()) == {0} and room.is_flagged(student)
    comments = room.comments(student)
    assert "cannot be read in 1 s and 0 GB of memory" in comments, comments


def test_what_is_truly_intricate_is_dropped_in_its_time(tmp_path):
    """2 MB of the text that takes longest, in a notebook that has to be rebuilt."""
    room = Classroom(tmp_path / "course", config="from nbseal import apart; apart.SECONDS = 1")
    hostile = "mine = " + "lambda a=" * 60 + "1\n"

    def change(nb) -> None:
        _edited(nb)
        nb.cells += [nbformat.v4.new_code_cell((hostile * 200)[:99_000]) for _ in range(20)]

    room.hand_in("eve", change=change)
    room.hand_in("zoe")
    done = room.autograde()
    assert "Traceback" not in done.stderr
    assert room.scores("zoe") == FULL
    assert room.is_flagged("eve") or room.scores("eve") == FULL
