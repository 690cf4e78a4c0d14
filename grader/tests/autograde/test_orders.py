"""A class that is executed elsewhere, on a cluster or from files, and judged here."""

import json
import shutil

import pytest
from support.dask_cluster import DaskCluster
from support.foreign import ASSIGNMENT, FULL, RIGHT, ForeignCourse


@pytest.fixture
def course(tmp_path):
    course = ForeignCourse(tmp_path / "course")
    course.release()
    course.hand_in("right", **RIGHT)
    course.hand_in("untouched")
    course.hand_in("median", **RIGHT | {"mean": "def mean(values):\n    return sorted(values)[1]"})
    (course.hand_in("broken") / "stats.ipynb").write_text("{")
    return course


def nbseal(course, *arguments, **more):
    return course.run("-m", "nbseal", *map(str, arguments), **more)


def test_a_class_through_files(course, tmp_path):
    there, elsewhere = tmp_path / "orders", tmp_path / "elsewhere"
    done = nbseal(course, "orders", ASSIGNMENT, there)
    assert done.returncode == 0 and "4 submissions are written" in done.stderr, done.stderr
    assert "empty folder" in nbseal(course, "orders", ASSIGNMENT, there).stderr
    orders = list(there.glob("*.order"))
    assert len(orders) == 5  # of equal notebooks there is one, of a damaged one none
    for file in there.iterdir():  # what is expected stays here
        assert b"sum(values) / 5" not in file.read_bytes(), file

    shutil.move(there, elsewhere)
    away = {"cwd": tmp_path}  # where there is no course
    assert "say 1/4" in nbseal(course, "execute", elsewhere, "--part=5/4", **away).stderr
    first = nbseal(course, "execute", elsewhere, "--part=1/2", **away)
    assert first.returncode == 0 and "3 of 3 orders" in first.stderr, first.stderr
    results = {path: path.stat().st_mtime_ns for path in elsewhere.glob("*.result")}
    assert len(results) == 3
    early = nbseal(course, "judge", ASSIGNMENT, elsewhere)
    assert early.returncode == 1 and "its order has no result yet" in early.stderr, early.stderr

    second = nbseal(course, "execute", elsewhere, **away)
    assert second.returncode == 0 and "2 of 2 orders" in second.stderr, second.stderr
    assert all(path.stat().st_mtime_ns == time for path, time in results.items())
    judged = nbseal(course, "judge", ASSIGNMENT, elsewhere)
    assert "broken" in judged.stderr and judged.returncode == 1
    assert course.scores("right") == FULL
    assert course.scores("median") == FULL | {"mean_test": 0}
    assert set(course.scores("untouched").values()) == {0}


def test_results_that_were_tampered_with_or_belong_to_something_else(course, tmp_path):
    there = tmp_path / "orders"
    nbseal(course, "orders", ASSIGNMENT, there)
    nbseal(course, "execute", there)
    for path in there.glob("*.result"):
        path.write_bytes(path.read_bytes()[:-1] + b"?" * 2)
    judged = nbseal(course, "judge", ASSIGNMENT, there)
    assert judged.returncode == 1 and "its length is not what it says" in judged.stderr
    keys = course.root / ".nbseal" / "orders" / f"{ASSIGNMENT}.json"
    assert keys.stat().st_mode & 0o777 == 0o600
    keys.write_text(json.dumps(dict.fromkeys(json.loads(keys.read_text()), "0" * 32)))
    judged = nbseal(course, "judge", ASSIGNMENT, there)
    assert judged.returncode == 1 and "no order asks what it holds now" in judged.stderr


def test_a_class_on_a_cluster(course, tmp_path):
    with DaskCluster(tmp_path / "dask") as dask:
        for name in "ab":
            dask.start_worker(name)
        done = course.autograde("--cluster", dask.address)
        assert "broken" in done.stderr and done.returncode == 1
        assert "on 1 machine, 2 workers" in done.stderr, done.stderr
        assert course.scores("right") == FULL
        assert course.scores("median") == FULL | {"mean_test": 0}
        (course.root / "nbgrader_config.py").open("a").write(
            f"c.SealedExecute.cluster = {dask.address!r}\n"
        )
        course.hand_in("late", **RIGHT)
        done = course.autograde("--SealedExecute.executor=os.getcwd")
        assert "two places to execute at" in done.stderr and done.returncode == 1
    assert course.scores("median") == FULL | {"mean_test": 0}
