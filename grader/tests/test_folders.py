"""Files that are there whole or not at all."""

import pytest
from nbseal.files import whole, write_whole


def test_a_file_that_is_not_finished_leaves_the_one_before(tmp_path):
    path = tmp_path / "record.json"
    write_whole(path, "before")
    with pytest.raises(RuntimeError), whole(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_private_from_its_first_byte(tmp_path):
    path = tmp_path / "keys"
    with whole(path, 0o600) as file:
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.stat().st_mode & 0o777 == 0o600
        file.write(b"key")
    assert path.stat().st_mode & 0o777 == 0o600 and path.read_bytes() == b"key"
