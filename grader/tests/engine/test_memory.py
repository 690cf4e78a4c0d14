"""As many sessions at once as memory has room for, read from a machine of files."""

import pytest
from nbseal.engine import memory

GB = 1 << 30


@pytest.fixture
def machine(tmp_path):
    """Writes files of /proc and /sys below a folder, and returns the folder."""

    def write(**files):
        texts = {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {8 * GB >> 10} kB\n"} | files
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_without_groups_the_machine_decides(machine):
    assert memory.available(machine()) == 8 * GB


def test_nothing_is_known_of_a_machine_that_does_not_say(tmp_path):
    assert memory.available(tmp_path) is None
    assert memory.fitting(7, 4 * GB, tmp_path) == (7, None)


def test_workers_are_lowered_with_one_line_that_says_so(machine):
    workers, said = memory.fitting(4, 3 * GB, machine())
    assert workers == 2
    assert said.startswith("2 of 4 workers are used: a session may take 3.0 GB of memory")
    assert "8.0 GB are free" in said and "\n" not in said


def test_as_many_as_fit_exactly_are_not_lowered(machine):
    assert memory.fitting(2, 4 * GB, machine()) == (2, None)


def test_one_worker_always_remains(machine):
    assert memory.fitting(2, 100 * GB, machine())[0] == 1


def test_a_group_of_version_2_bounds_what_the_machine_has(machine):
    root = machine(
        **{
            "proc/self/cgroup": "0::/jobs/mine\n",
            "sys/fs/cgroup/jobs/mine/memory.max": f"{6 * GB}\n",
            "sys/fs/cgroup/jobs/mine/memory.current": f"{3 * GB}\n",
            "sys/fs/cgroup/jobs/mine/memory.stat": f"anon 1\ninactive_file {GB}\n",
        }
    )
    assert memory.available(root) == 4 * GB  # what is only kept until it is needed counts as free


def test_a_group_above_it_bounds_it_too(machine):
    root = machine(
        **{
            "proc/self/cgroup": "0::/jobs/mine\n",
            "sys/fs/cgroup/jobs/mine/memory.max": "max\n",
            "sys/fs/cgroup/jobs/memory.max": f"{5 * GB}\n",
            "sys/fs/cgroup/jobs/memory.current": f"{4 * GB}\n",
        }
    )
    assert memory.available(root) == GB


def test_a_container_sees_its_own_group_as_the_mounted_one(machine):
    root = machine(
        **{
            "proc/self/cgroup": "0::/docker/4f2a\n",
            "sys/fs/cgroup/memory.max": f"{2 * GB}\n",
            "sys/fs/cgroup/memory.current": "0\n",
        }
    )
    assert memory.available(root) == 2 * GB


def test_a_group_of_version_1(machine):
    root = machine(
        **{
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/jobs\n0::/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": f"{3 * GB}\n",
            "sys/fs/cgroup/memory/jobs/memory.usage_in_bytes": f"{2 * GB}\n",
            "sys/fs/cgroup/memory/jobs/memory.stat": f"cache 5\ntotal_inactive_file {GB >> 1}\n",
        }
    )
    assert memory.available(root) == GB + (GB >> 1)


def test_a_group_that_uses_more_than_it_may_has_no_room(machine):
    root = machine(
        **{
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": f"{GB}\n",
            "sys/fs/cgroup/memory.current": f"{2 * GB}\n",
        }
    )
    assert memory.fitting(3, GB, root)[0] == 1


def test_this_machine_says_something():
    assert memory.available() > 1 << 20
