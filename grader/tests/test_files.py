"""What changes when a file does."""

from nbseal.files import stamps


def test_all_in_a_folder_is_stamped_but_what_python_compiled(tmp_path):
    (tmp_path / "sub" / "__pycache__").mkdir(parents=True)
    (tmp_path / "sub" / "a").write_text("1")
    (tmp_path / "sub" / "__pycache__" / "b").write_text("1")
    before = stamps([tmp_path, tmp_path / "nowhere"])
    assert before.keys() == {str(tmp_path / one) for one in (".", "sub", "sub/a", "nowhere")}
    assert before[str(tmp_path / "nowhere")] is None
    (tmp_path / "sub" / "a").write_text("12")
    assert stamps(before) != before


def test_links_that_lead_back_are_not_followed(tmp_path):
    for name, target in (("loop", "."), ("again", ".."), ("gone", "nowhere")):
        (tmp_path / name).symlink_to(target)
    found = stamps([tmp_path])
    assert len(found) == 4 and found[str(tmp_path / "gone")] is None


def test_a_folder_that_is_itself_a_link_is_looked_into(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "names.txt").write_text("ada")
    (tmp_path / "link").symlink_to("data")
    assert str(tmp_path / "link" / "names.txt") in stamps([tmp_path / "link"])
