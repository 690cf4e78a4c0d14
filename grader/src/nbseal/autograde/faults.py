"""What stops a run and is nobody's submission: the disk, the database, the terminal. One sentence
each."""

from __future__ import annotations

import errno
import os

import sqlalchemy.exc
from sqlalchemy.engine import make_url

# Errors of the machine. Whoever's submission was at hand when one was met has nothing to do with
# it.
OF_THE_MACHINE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)
MENDING = {
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "make room within your quota",
    errno.EROFS: "it lies on a file system that is mounted read-only",
    errno.EACCES: "let your user write there",
    errno.EPERM: "let your user write there",
    errno.EMFILE: "raise the number of open files (`ulimit -n`)",
    errno.ENFILE: "the machine has too many files open",
    errno.ENOMEM: "the machine is out of memory: use fewer --workers",
    errno.EIO: "the disk does not answer",
}
GOES_ON = "What is graded is saved; run the same command again afterwards."


def sentence(error: BaseException) -> str | None:
    """What happened and what to do, of an error that is known to have such a cause; None of any
    other."""
    if isinstance(error, sqlalchemy.exc.DBAPIError):
        return _of_database(error)
    if isinstance(error, OSError) and error.errno in MENDING:
        where = error.filename or "the output"
        return f"{where} cannot be written ({error.strerror}): {MENDING[error.errno]}. {GOES_ON}"
    return None


def _of_database(error: sqlalchemy.exc.DBAPIError) -> str:
    said = str(error.orig).strip().rstrip(".")
    if "no such column" in said or "no such table" in said or "does not exist" in said:
        mending = (
            "it was made by another version of nbgrader: back it up and run `nbgrader db upgrade`"
        )
    elif "locked" in said:
        mending = "another program is writing into it: end that one, or wait for it"
    elif "malformed" in said or "not a database" in said:
        mending = (
            "the file is damaged: put back your last copy of it, or move it away and grade anew"
        )
    elif "unable to open" in said:
        mending = (
            "see whether its folder exists, whether it is a file, and whether you may write to it"
        )
    else:
        mending = "see whether the database is running and whether you may write to it"
    return f"the gradebook cannot be used ({said}): {mending}. {GOES_ON}"


def refuse_odd_path(db_url: str) -> str | None:
    """A sentence where nbgrader would read a gradebook's path as something else; None where it is
    as it should be.

    nbgrader puts the path of the course into a URL as it is, where `%` and `?` have a meaning.
    """
    if not db_url.startswith("sqlite:///"):
        return None
    path = db_url.removeprefix("sqlite:///")
    if make_url(db_url).database == path or not set("%?") & set(path):
        return None
    return (
        f"the course's folder {os.path.dirname(path)} has a '%' or '?' in its name, which "
        "nbgrader takes for a part "
        "of its database's address: rename the folder, or set c.CourseDirectory.db_url to another "
        "place."
    )
