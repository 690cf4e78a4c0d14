"""A class that is executed on a cluster, and judged here."""

from support.dask_cluster import DaskCluster
from support.foreign import FULL, RIGHT, ForeignCourse


def test_a_class_on_a_cluster(tmp_path):
    course = ForeignCourse(tmp_path / "course")
    course.release()
    course.hand_in("right", **RIGHT)
    course.hand_in("median", **RIGHT | {"mean": "def mean(values):\n    return sorted(values)[1]"})
    (course.hand_in("broken") / "stats.ipynb").write_text("{")
    with DaskCluster(tmp_path / "dask") as dask:
        for name in "ab":
            dask.start_worker(name)
        done = course.autograde("--cluster", dask.address)
        assert "broken" in done.stderr and done.returncode == 1
        assert "on 1 machine, 2 workers" in done.stderr, done.stderr
        assert course.scores("right") == FULL
        assert course.scores("median") == FULL | {"mean_test": 0}
