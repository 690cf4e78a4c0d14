"""Temporary folders: gone with their owner, or by a later run where the owner was killed."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from nbseal.leftovers import LOCK, OwnFolder, remove_leftovers

HOLD = (
    "import sys, time; from nbseal.leftovers import OwnFolder\n"
    "place = OwnFolder()\n"
    "print(place.new('session-'), place.new('reference-'), flush=True); time.sleep(60)"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def killed(temporary):
    """The folders of a run that kill -9 has ended."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        folders = [Path(name) for name in run.stdout.readline().split()]
        assert all(folder.is_dir() for folder in folders)
        remove_leftovers()
        assert all(folder.is_dir() for folder in folders)  # it lives, and so do they
        run.kill()
    return folders


def test_what_a_killed_run_left_is_removed_by_the_next_that_needs_a_folder(killed, temporary):
    place = OwnFolder()
    own = place.new("session-")
    assert not any(folder.exists() for folder in killed)
    assert [path.parent for path in temporary.glob("*/session-*")] == [own.parent]
    place.close()
    assert not list(temporary.iterdir())


def test_nothing_is_made_before_it_is_needed(temporary):
    OwnFolder().close()
    assert not list(temporary.iterdir())


def test_a_folder_goes_with_its_owner(temporary):
    place = OwnFolder()
    with place.make("session-") as folder:
        (folder / "file").touch()
    assert not folder.exists() and folder.parent.exists()
    del place
    assert not list(temporary.iterdir())


def test_a_folder_without_a_lock_is_none_of_ours(temporary):
    (temporary / "nbseal-notes").mkdir()
    remove_leftovers()
    assert (temporary / "nbseal-notes").is_dir()


def test_links_lead_nowhere(temporary):
    (temporary / "elsewhere").mkdir()
    (temporary / "elsewhere" / LOCK).touch()
    (temporary / "nbseal-link").symlink_to(temporary / "elsewhere")
    (temporary / "nbseal-own").mkdir()
    (temporary / "nbseal-own" / LOCK).symlink_to(temporary / "elsewhere" / LOCK)
    remove_leftovers()
    assert (temporary / "elsewhere" / LOCK).exists() and (temporary / "nbseal-own").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_user_s_folder_stays(temporary):
    (temporary / "nbseal-theirs").mkdir()
    (temporary / "nbseal-theirs" / LOCK).touch()
    os.chown(temporary / "nbseal-theirs", 65534, 65534)
    remove_leftovers()
    assert (temporary / "nbseal-theirs" / LOCK).exists()


def test_two_owners_in_one_process_leave_each_other_alone():
    first, second = OwnFolder(), OwnFolder()
    one, two = first.new("session-"), second.new("reference-")
    remove_leftovers()
    assert one.is_dir() and two.is_dir()
    first.close()
    assert not one.exists() and two.is_dir()
    second.close()


def test_a_closed_place_begins_anew():
    place = OwnFolder()
    place.new("session-")
    place.close()
    again = place.new("session-")
    assert again.is_dir()
    place.close()
    assert not again.exists()


def test_thousands_of_folders_in_each_other_are_removed(temporary):
    """A session that is not in a file system of its own can leave them; so can a killed run."""
    place = OwnFolder()
    folder = place.new("session-")
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    place.close()
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("removed", ["before it is locked", "while it is locked"])
def test_a_folder_that_another_run_removes_as_it_is_made_is_made_again(
    tmp_path, monkeypatch, removed
):
    """Of two commands that begin at once, one ended with `No such file or directory`."""
    flock, first = fcntl.flock, []

    def meanwhile(lock, how):
        if not first:
            [folder] = tmp_path.iterdir()
            first.append(folder)
            shutil.rmtree(folder)
            if removed == "while it is locked":
                raise BlockingIOError
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    place = OwnFolder(tmp_path)
    with place.make("session-") as folder:
        assert folder.is_dir() and folder.parent != first[0]
    place.close()
