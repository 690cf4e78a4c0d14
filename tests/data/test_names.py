"""The lists of names are what the committed script makes of faker, and the course's promises about
them hold."""

import hashlib
import re

import pytest

from data import make_names


@pytest.fixture(scope="module")
def published():
    return make_names.NAMES.read_text(encoding="ascii").split("\n")[:-1]


@pytest.fixture(scope="module")
def held_out():
    return make_names.HELD_OUT.read_text(encoding="ascii").split("\n")[:-1]


def test_the_script_reproduces_every_file_to_the_byte():
    for path, content in make_names.files().items():
        assert path.read_bytes() == content.encode(), (
            f"{path.name} differs: run python data/make_names.py"
        )


def test_published_names_are_many_unique_sorted_and_a_to_z(published):
    assert len(published) >= 15_000
    assert published == sorted(set(published))
    assert [name for name in published if not re.fullmatch("[a-z]{2,15}", name)] == []


def test_one_name_in_ten_is_held_out_and_none_is_published(published, held_out):
    assert set(published).isdisjoint(held_out)
    assert 0.08 < len(held_out) / (len(held_out) + len(published)) < 0.12


def test_the_checksum_beside_the_list_is_the_lists():
    checksum, name = make_names.NAMES.with_suffix(".sha256").read_text().split()
    assert (checksum, name) == (
        hashlib.sha256(make_names.NAMES.read_bytes()).hexdigest(),
        "names.txt",
    )


@pytest.mark.parametrize(
    "written, folded",
    [
        ("Łukasz", "lukasz"),
        ("Þóra", "thora"),
        ("Günther", "gunther"),
        ("Jürgen", "jurgen"),
        ("Søren", "soren"),
        ("Đorđe", "dorde"),
        ("Æsa", "aesa"),
        ("Işıl", "isil"),
        ("İbrahim", "ibrahim"),
        ("Preuß", "preuss"),
        (" Ana ", "ana"),
    ],
)
def test_accents_are_folded_to_the_letters_people_write_without_them(written, folded):
    assert make_names.fold(written) == folded


@pytest.mark.parametrize("written", ["Anna-Lena", "Hans D.", "O'Neil", "Ольга", "愛", "X", ""])
def test_what_is_not_one_latin_name_is_left_out(written):
    assert not make_names.NAME.fullmatch(make_names.fold(written))
