"""Whose fault an exception is: one submission's, or that of something that concerns them all."""

from __future__ import annotations

import traceback
from logging import Logger

from sqlalchemy.exc import DatabaseError, OperationalError

from nbseal.autograde.faults import OF_THE_MACHINE, sentence
from nbseal.autograde.reasons import Surprise, reason_of
from nbseal.errors import CourseError


class CannotBeGraded(Exception):
    """Nothing of a submission can be graded, and nothing was kept; the text says why."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason

    @property
    def is_doubtful(self) -> bool:
        """Whether nobody foresaw the reason, so that the fault may be another's."""
        return isinstance(self.reason, Surprise)


def raise_if_it_concerns_all(error: Exception) -> None:
    """Raise what is wrong with the course, its database or this host: it ends the run, and costs
    nobody a point.

    Raises CourseError, or the database's own error.
    """
    # of the database's errors, those on data that it does not take have classes of their own
    if isinstance(error, CourseError | OperationalError) or type(error) is DatabaseError:
        raise error
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in OF_THE_MACHINE:
            raise CourseError(f"No student lost a point by it: {sentence(cause)}") from error


def _causes(error: BaseException) -> list[BaseException]:
    """An error, and those in whose place it was raised."""
    found: list[BaseException] = []
    next_one: BaseException | None = error
    while next_one is not None and len(found) < 20:
        found.append(next_one)
        next_one = next_one.__cause__ or next_one.__context__
    return found


def logged(error: Exception, log: Logger) -> str:
    """Why a submission could not be graded, in one sentence that any file can hold; the rest goes
    to the log."""
    log.debug("".join(traceback.format_exception(error)))
    reason = reason_of(error)
    return type(reason)(reason.encode("utf-8", "replace").decode())
