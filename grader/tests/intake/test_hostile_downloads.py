"""What one student packs is nobody else's trouble: no archive gets another student's name, a time, or
keeps back what others handed in. Each attack runs in the downloads of several systems."""

import io
import json
import lzma
import resource
import shutil
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import PurePosixPath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from nbgrader.api import Gradebook
from nbseal.course import Course
from nbseal.intake.collect.command import collect
from nbseal.intake.collect.owners import provenance_of, student_id
from nbseal.intake.collect.uploads import TABLE, Source, Upload
from support.classroom import PATH
from support.downloads import SYSTEM_TIME, delivered, tarred, zipped
from support.fixtures import TINY
from support.lms import moodle_worksheet

ASSIGNMENT = "01_tiny"
PEOPLE = {
    "ada": ("Ada Lovelace", 4711),
    "eve": ("Eve Moriarty", 4712),
    "kurt": ("Kurt Gödel", 4713),
}
OTHERS = ("ada", "kurt")
SYSTEMS = ("moodle", "moodle, flat", "canvas", "blackboard", "gradescope", "folders")
WHEN = datetime(*SYSTEM_TIME, tzinfo=UTC)


def notebook(of: str) -> bytes:
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": f"by {of}"}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    ).encode()


EVIL = notebook("eve")
OLD = (2001, 1, 1, 0, 0, 0)
STAMP = b"2001-01-01 00:00:00 UTC\n"
# of others, as each system calls them
NAMED = {
    "moodle": "Ada Lovelace_1_assignsubmission_file_",
    "moodle without a number": "Ada Lovelace_assignsubmission_file_",
    "moodle, another number": "Ada Lovelace_99_assignsubmission_file_",
    "canvas": "lovelaceada_4711_815_tiny.ipynb",
    "blackboard": "HW_ada_attempt_2001-01-01-00-00-00_tiny.ipynb",
    "brightspace": "1-2 - Ada Lovelace - Jan 1, 2001 3-00 PM",
    "gradescope": "submission_50",
    "plain": "ada",
}


def _long(length):
    return zipped({"n" * length + ".ipynb": EVIL})


def _lzma_damaged():
    """A member whose compressed bytes are not what they say."""
    content = bytearray(zipped({"tiny.ipynb": EVIL * 50}, kind=zipfile.ZIP_LZMA))
    start = content.index(b"tiny.ipynb") + len("tiny.ipynb") + 9
    content[start + 8 : start + 40] = b"\xff" * 32
    return bytes(content)


def _claims_a_long_name(size=5 << 30):
    """A small archive whose header says that a name of gigabytes follows."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, size
    packed = io.BytesIO()
    import bz2

    with bz2.BZ2File(packed, "wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        file.write(b"a" * (1 << 20))
    return packed.getvalue()


def _sized(size):
    """A zip that says that its member is smaller than it is."""
    content = bytearray(zipped({"tiny.ipynb": EVIL * 1000}))
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(content)


def _nested(depth):
    content = zipped({"tiny.ipynb": EVIL})
    for _ in range(depth):
        content = zipped({"again.zip": content})
    return content


def _twice():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for _ in range(2):
            archive.writestr("tiny.ipynb", EVIL)
    return packed.getvalue()


def _link():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("tiny.ipynb")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return packed.getvalue()


# name -> what Eve hands in
IMPERSONATION = {
    f"a folder like {kind}": {f"{name}/tiny.ipynb": EVIL} for kind, name in NAMED.items()
}
IMPERSONATION |= {
    f"a folder like {kind}, zipped": {"work.zip": zipped({f"{name}/tiny.ipynb": EVIL})}
    for kind, name in NAMED.items()
}
IMPERSONATION |= {
    f"a file like {kind}": {f"x_{name}_tiny.ipynb".replace("/", "_"): EVIL}
    for kind, name in NAMED.items()
}
IMPERSONATION |= {
    "an archive called like another": {
        "Ada Lovelace_1_assignsubmission_file_.zip": zipped({"tiny.ipynb": EVIL})
    },
    "a whole download": {
        "submissions.zip": zipped({f"{name}/tiny.ipynb": EVIL for name in NAMED.values()}, OLD)
    },
    "a table of Gradescope's": {
        "w.zip": zipped(
            {
                "submission_metadata.yml": b"submission_50:\n  :submitters:\n  - :email: ada@example.org\n",
                "submission_50/tiny.ipynb": EVIL,
            }
        )
    },
    "a folder called like a team": {"Team 1/tiny.ipynb": EVIL},
}
BACKDATING = {
    "timestamp.txt": {"tiny.ipynb": EVIL, "timestamp.txt": STAMP},
    "timestamp.txt, zipped": {"w.zip": zipped({"tiny.ipynb": EVIL, "timestamp.txt": STAMP})},
    "timestamp.txt, deeper": {"w.zip": zipped({"a/tiny.ipynb": EVIL, "a/timestamp.txt": STAMP})},
    "old dates in a zip": {"w.zip": zipped({"tiny.ipynb": EVIL}, OLD)},
    "old dates in a tar": {"w.tar": tarred({"tiny.ipynb": EVIL}, mtime=10**8)},
    "a name with a date": {"x_eve_attempt_2001-01-01-00-00-00_tiny.ipynb": EVIL},
    "a folder with a date": {"HW_eve_attempt_2001-01-01-00-00-00_/tiny.ipynb": EVIL},
}
STOPPING = {
    "a time beyond the year 9999": {"w.tar": tarred({"tiny.ipynb": EVIL}, mtime=10**13)},
    "a time without end": {"w.tar": tarred({"tiny.ipynb": EVIL}, pax_headers={"mtime": "inf"})},
    "a time that is no number": {
        "w.tar": tarred({"tiny.ipynb": EVIL}, pax_headers={"mtime": "nan"})
    },
    "a time before all times": {
        "w.tar": tarred({"tiny.ipynb": EVIL}, pax_headers={"mtime": "-1e300"})
    },
    "damaged LZMA": {"w.zip": _lzma_damaged()},
    "a name of gigabytes, by its header": {"w.tar": _claims_a_long_name()},
    "a name of 50 kB": {"w.zip": _long(50_000)},
    "a name of 4,000 characters": {"w.zip": _long(4_000)},
    "a name of 50 kB in a tar": {"w.tar": tarred({"n" * 50_000 + ".ipynb": EVIL})},
    "a name of 300 bytes": {"w.zip": zipped({"tiny.ipynb": EVIL, "ü" * 150 + ".txt": b"1"})},
    "a file beside a folder of its name": {
        "w.zip": zipped({"tiny.ipynb": EVIL, "a": b"1", "a/b": b"2"})
    },
    "a folder before a file of its name": {
        "w.zip": zipped({"tiny.ipynb": EVIL, "a/b": b"2", "a": b"1"})
    },
    "a folder named like the notebook": {
        "w.zip": zipped({"tiny.ipynb": EVIL, "tiny.ipynb/x": b"1"})
    },
    "a folder named like the time": {
        "w.zip": zipped({"tiny.ipynb": EVIL, "timestamp.txt/x": b"1"})
    },
    "a name that is not text": {"w.tar": tarred({"tiny\udcff.ipynb": EVIL, "tiny.ipynb": EVIL})},
    "a name that acts in a terminal": {
        "w.zip": zipped({"\x1b[2J\u202e.txt": b"1", "tiny.ipynb": EVIL})
    },
    "a name that leads out": {"w.zip": zipped({"../../../tiny.ipynb": EVIL})},
    "backslashes that lead out": {"w.zip": zipped({"..\\..\\eve\\tiny.ipynb": EVIL})},
    "a drive": {"w.zip": zipped({"C:\\eve\\tiny.ipynb": EVIL})},
    "dots in a tar": {"w.tar": tarred({"../../tiny.ipynb": EVIL})},
    "a link in a tar": {"w.tar": tarred({"tiny.ipynb": b""}, type=b"2", linkname="/etc/passwd")},
    "a hard link": {"w.tar": tarred({"tiny.ipynb": b""}, type=b"1", linkname="/etc/passwd")},
    "an absolute name": {"w.zip": zipped({"/tmp/tiny.ipynb": EVIL})},
    "a link": {"w.zip": _link()},
    "a device": {"w.tar": tarred({"tiny.ipynb": b""}, type=tarfile.CHRTYPE)},
    "a name twice": {"w.zip": _twice()},
    "a size that lies": {"w.zip": _sized(10)},
    "nested too deep": {"w.zip": _nested(9)},
    "half an archive": {"w.zip": zipped({"tiny.ipynb": EVIL * 100})[:200]},
    "no archive": {"w.zip": b"PK\x03\x04 nothing"},
    "an empty archive": {"w.zip": zipped({})},
    "300 MB of zeros": {"w.zip": zipped({"tiny.ipynb": b"\0" * (300 << 20)})},
    "20,000 files": {"w.zip": zipped({f"{number}": b"" for number in range(20_000)})},
}
ATTACKS = IMPERSONATION | BACKDATING | STOPPING


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A gradebook that knows the class: making one starts a process, which takes seconds."""
    path = tmp_path_factory.mktemp("known") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", PATH)  # nbgrader calls alembic by name
        with Gradebook(f"sqlite:///{path}") as gradebook:
            for who, (full, number) in PEOPLE.items():
                first, last = full.split(" ")
                more = {"email": f"{who}@example.org", "lms_user_id": str(number)}
                gradebook.add_student(who, first_name=first, last_name=last, **more)
    return path


@pytest.fixture(scope="module")
def course(known, tmp_path_factory):
    root = tmp_path_factory.mktemp("course") / "tiny"
    shutil.copytree(TINY, root)
    shutil.copy(known, root / "gradebook.db")
    return Course.at(root)


def collected(course, system, evil, folder, says="Team 1,ada;kurt\n"):
    """The class hands in, Eve something evil; returns the outcome, in an empty course."""
    for step in ("submitted", "submitted_earlier", ".nbseal"):
        shutil.rmtree(course.root / step, ignore_errors=True)
    handed_in = {who: {"tiny.ipynb": notebook(who)} for who in PEOPLE} | {"eve": evil}
    download = folder / "download.zip"
    download.write_bytes(zipped(delivered(system, handed_in, PEOPLE), SYSTEM_TIME))
    more = {}
    if system.startswith("moodle"):
        rows = [
            (place + 1, full, f"{who}@example.org", "Monday, 9 March 2026, 12:00 PM")
            for place, (who, (full, _)) in enumerate(PEOPLE.items())
        ]
        (folder / "worksheet.csv").write_text(moodle_worksheet(rows))
        more = {"table": folder / "worksheet.csv"}
    (folder / "teams.csv").write_text(says)
    return collect(course, ASSIGNMENT, [download], folder / "teams.csv", **more)


def only_eve(course, outcome):
    """Everybody else has what they handed in, when they did, and Eve nothing of an earlier time."""
    for who in OTHERS:
        place = course.root / "submitted" / who / ASSIGNMENT
        assert {path.name for path in place.iterdir()} == {"timestamp.txt", "tiny.ipynb"}, who
        assert (place / "tiny.ipynb").read_bytes() == notebook(who), who
        assert not (course.root / "submitted_earlier" / who).exists()
    stamps = {
        path.parent.parent.name: path.read_text()[:19]
        for path in (course.root / "submitted").glob("*/*/timestamp.txt")
    }
    assert stamps.keys() <= set(PEOPLE)
    assert set(stamps.values()) == {f"{WHEN:%Y-%m-%d %H:%M:%S}"}
    assert not outcome.strangers and not outcome.unknown
    notes = [note for one, _ in outcome.done for note in one.notes if one.student != "eve"]
    assert notes == []
    for reason in outcome.refused:
        assert any(part in reason for part in ("Eve", "eve", "submission_51")), reason
    assert len(outcome.refused) < 10


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_pattern_of_the_instructor_s_does_not_reach_into_what_a_student_wrote(course, tmp_path):
    """`*_1_assign*` is Ada's upload, and no file of Eve's that is called so."""
    evil = {"x_1_assign.ipynb": EVIL, "tiny.ipynb": EVIL}
    only_eve(course, collected(course, "moodle, flat", evil, tmp_path, says="*_1_assign*,ada\n"))


def test_one_late_upload_by_somebody_with_an_odd_name_is_no_folder_around_others(course, tmp_path):
    """All of this download lies in one folder, and its name begins like those of nobody."""
    name = f"Assignment Eve_2_assignsubmission_file_/{NAMED['moodle']}/tiny.ipynb"
    (tmp_path / "late.zip").write_bytes(zipped({name: EVIL}))
    outcome = collect(course, ASSIGNMENT, [tmp_path / "late.zip"])
    assert outcome.strangers == ["Assignment_Eve"] and not outcome.done


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_is_nobody_s_trouble_but_its_author_s(attack, course, tmp_path):
    for system in SYSTEMS:
        evil = ATTACKS[attack]
        if system in ("moodle, flat", "canvas", "blackboard"):  # they pack no folders
            evil = {name.replace("/", "_"): content for name, content in evil.items()}
        outcome = collected(course, system, evil, tmp_path)
        only_eve(course, outcome)
        submitted = {one.student for one, _ in outcome.done}
        if attack in STOPPING and "eve" not in submitted:
            assert outcome.refused, f"{system}: nothing says why Eve's was not filed"


# ---- Whatever else somebody may pack -------------------------------------------------------------

PARTS = some.sampled_from(
    [
        *NAMED.values(),
        "tiny.ipynb",
        "tiny (2).ipynb",
        "timestamp.txt",
        "..",
        ".",
        "",
        "/",
        "a",
        "C:",
    ]
    + ["Team 1", "\u202e\x1b[2J", "\udc80", "x" * 250, "ü" * 200, "n" * 3000, "(1)" * 80, " " * 200]
    + [TABLE, "w.zip", "w.tar", "a\\b", "\x00", "01_tiny", "submitted"]
)
NAMES = some.lists(PARTS, min_size=1, max_size=4).map("/".join)
CONTENTS = some.one_of(
    some.sampled_from([EVIL, STAMP, b"", b"submission_50:\n- 1\n", _nested(2), _lzma_damaged()]),
    some.binary(max_size=50),
    some.integers(0, 3 << 20).map(bytes),
)
TIMES = some.sampled_from(["0", "-1", "1e300", "inf", "nan", "-inf", "999999999999", "1e9", "x"])


def _zip_of(members, cut, kind, year):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name.encode(errors="replace").decode(), (year, 1, 1, 0, 0, 0))
            archive.writestr(info, content, kind)
    return packed.getvalue()[: cut or None]


def _tar_of(members, cut, mode, time):
    content = tarred(members, mode, pax_headers={"mtime": time})
    return content[: cut or None]


MEMBERS = some.dictionaries(NAMES, CONTENTS, min_size=1, max_size=5)
CUTS = some.sampled_from([0, 0, 0, -1, -30, 40, 600])
KINDS = some.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
ZIPS = some.builds(_zip_of, MEMBERS, CUTS, KINDS, some.sampled_from([1980, 1999, 2026, 2107]))
TARS = some.builds(_tar_of, MEMBERS, CUTS, some.sampled_from(["w", "w:gz", "w:bz2", "w:xz"]), TIMES)
UPLOADS = some.dictionaries(
    some.sampled_from(["w.zip", "x.tar", "y.tgz", "Z.ZIP", "tiny.ipynb.zip"]),
    some.one_of(ZIPS, TARS, MEMBERS.map(lambda one: zipped({"in.zip": _zip_of(one, 0, 8, 2026)}))),
    min_size=1,
    max_size=3,
)


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(evil=UPLOADS, system=some.sampled_from(SYSTEMS))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_nor_is_anything_else_that_can_be_packed(evil, system, course, tmp_path_factory):
    outcome = collected(course, system, evil, tmp_path_factory.mktemp("any"))
    only_eve(course, outcome)


# ---- The attacks are armed -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(NAMED.keys() - {"gradescope"}))
def test_a_name_that_is_imitated_would_be_another_s_were_it_the_outermost(kind):
    source = Source(None, "", PurePosixPath("tiny.ipynb"), None)
    told = provenance_of(Upload(NAMED[kind], PurePosixPath(), [source]), ["tiny"])
    assert student_id(told.who).lower() in ("ada_lovelace", "lovelaceada", "ada")


def _extracted(evil, folder):
    """What a reader does that trusts archives."""
    for content in evil.values():
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(folder)
        else:
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                for info in archive:
                    datetime.fromtimestamp(info.mtime, UTC)
                    (folder / info.name).write_bytes(archive.extractfile(info).read())


@pytest.mark.parametrize(
    "attack, error",
    {
        "a time beyond the year 9999": ValueError,
        "a time without end": OverflowError,
        "a time that is no number": ValueError,
        "a time before all times": (OverflowError, ValueError),
        "damaged LZMA": lzma.LZMAError,
        "a name of gigabytes, by its header": MemoryError,
        "a name of 50 kB": OSError,
        "a name of 300 bytes": OSError,
        "a name of 4,000 characters": OSError,
        "a name of 50 kB in a tar": OSError,
        "a file beside a folder of its name": OSError,
        "a folder before a file of its name": OSError,
        "a folder named like the notebook": OSError,
        "half an archive": zipfile.BadZipFile,
        "a size that lies": zipfile.BadZipFile,
    }.items(),
)
def test_it_stops_a_reader_that_trusts_it(attack, error, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (2 << 30), before[1]))
    try:
        with pytest.raises(error):
            _extracted(ATTACKS[attack], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
