"""What students get: lectures, exercises, data, utils.py and the checks - as a folder and as a zip,
without any answer in it."""

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer
from nbseal import checks
from nbseal.authoring.release import leaks, out_of_date
from nbseal.course import Course
from nbseal.errors import CourseError

from tools.running import here, run
from tools.settings import of
from tools.stamp import unstamped

NEEDED = ("lectures", "exercises", "requirements.txt")  # beside the course's own files
CHECKS = Path(checks.__file__).parent  # nbseal's: a student has no nbseal
# The script that makes the names needs solutions/ and is of no use to students.
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.pyc", "make_*.py")
# A zip keeps a time for every file. With a fixed one, equal contents make equal zips.
EPOCH = (2020, 1, 1, 0, 0, 0)

README = """\
# {name}

Every topic is a pair: read the lecture in `lectures/`, then solve the exercise of the same number in `exercises/`.
Start each notebook with its first cell; it finds the course's files by itself.

**In Colab**: open a notebook and click its badge. Save a copy to keep your work.

**On your machine**, with Python 3.11 or newer, in this folder:

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.txt
    .venv/bin/jupyter lab

In an exercise, replace each `raise NotImplementedError(...)` by your code and run the check below it. A tick means
right; otherwise the check says what differs and, where it recognises it, which mistake you made.
"""


def require_ready(course: Course) -> None:
    """Raise CourseError if what would be given to students is missing, out of date or not
    stamped."""
    assert course.view  # raises CourseError for course_files that no student may see
    for part in (*NEEDED, *course.course_files):
        if not (course.root / part).exists():
            raise CourseError(
                f"{course.root} has no {part}, so there is nothing to bundle it from."
            )
    if stale := unstamped(course):
        raise CourseError(
            f"{stale[0].relative_to(course.root)} does not have the setup cell that course.toml "
            "asks for: "
            "run `make stamp release`."
        )
    if old := out_of_date(course):
        raise CourseError(
            f"exercises/{old[0]} is not what solutions/ makes today: run `make release`."
        )


def collect(course: Course, folder: Path) -> None:
    """Copy what students get into `folder`, which must not exist. Raises CourseError if an answer
    is in it."""
    require_ready(course)
    folder.mkdir(parents=True)
    for part in (*NEEDED, *course.course_files, "LICENSE"):
        source = course.root / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=LEFT_OUT)
        elif source.is_file():
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / part)
    shutil.copytree(CHECKS, folder / CHECKS.name, ignore=LEFT_OUT)
    (folder / "README.md").write_text(
        README.format(name=of(course).name), encoding="utf-8", newline="\n"
    )
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (reasons := leaks(path)):
            raise CourseError(
                f"{path.relative_to(folder)} would show students an answer: {'; '.join(reasons)}."
            )


def pack(folder: Path, file: Path) -> None:
    """Write the files of `folder` into a zip whose bytes depend on nothing but them."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{file.stem}/{path.relative_to(folder).as_posix()}", EPOCH)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, path.read_bytes())


def bundle(course: Course, into: Path) -> tuple[Path, Path]:
    """Make the bundle as `into`/NAME and `into`/NAME.zip; both whole, or neither changed."""
    into.mkdir(parents=True, exist_ok=True)
    folder, archive = into / of(course).slug, into / f"{of(course).slug}.zip"
    with tempfile.TemporaryDirectory(dir=into, prefix=".") as scratch:
        collected, packed = Path(scratch) / folder.name, Path(scratch) / archive.name
        collect(course, collected)
        pack(collected, packed)
        shutil.rmtree(folder, ignore_errors=True)
        collected.rename(folder)
        packed.replace(archive)
    return folder, archive


def main(
    into: Annotated[Path, typer.Option(help="Where to put the folder and the zip.")] = Path("dist"),
) -> None:
    """Make what students get: lectures, exercises, data, utils.py - no solutions, no hidden
    tests."""
    course = here()
    folder, archive = bundle(course, into if into.is_absolute() else course.root / into)
    files = [path for path in folder.rglob("*") if path.is_file()]
    print(f"{folder}: {len(files)} files\n{archive}: {archive.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    run(main)
