"""A process that `nbseal serve` has forked for one run: it gets ready, waits for a command, and is
that command from then on.

It is used once, as any process of `nbseal autograde`: keys, workers and all that is read of the
course belong to one run alone.
"""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.coursedir import CourseDirectory

from nbseal import asking
from nbseal.autograde import command
from nbseal.autograde.application import AutogradeApp
from nbseal.autograde.chain import Chain
from nbseal.autograde.context import CourseParts
from nbseal.autograde.engines import Engines
from nbseal.autograde.run import ParallelAutograde
from nbseal.engine.zygote import Zygote
from nbseal.files import loaded_files, stamps
from nbseal.inside.children import end_with_parent
from nbseal.interrupts import ENDING, INTERRUPTED, raise_interrupt


class GetReady(ParallelAutograde):
    """Goes as far as a run can before it sees a submission."""

    made: Engines | None = None  # warm, once it has been there

    def init_notebooks(self) -> None:
        """It needs no submissions."""

    def convert_notebooks(self) -> None:
        """Make the answer keys of all notebooks, and try this host's boundaries. Raises CourseError
        where that cannot be done."""
        engines, execute = Engines(self.workers, self.zygote), Chain(self).execute
        try:
            with CourseParts(self.coursedir, engines) as course:
                assignment = self.coursedir.assignment_id
                others = course.executions.other_languages(assignment)
                names = set(course.gradebook.source(assignment).notebooks) - set(others)
                if execute is not None:
                    settings = execute.settings()
                    for name in sorted(names):
                        course.executions.prepare(assignment, name, settings, ahead=True)
        except BaseException:
            engines.close()
            raise
        self.made = engines


def serve_one(
    line: socket.socket, course: Path, assignment: str, zygote: Zygote, main: Callable[[], object]
) -> NoReturn:
    """What a process is that was forked for one run. line: to the server; main: does a command."""
    end_with_parent()
    os.setsid()  # the server's terminal is not the command's
    raise_interrupt()
    known, path = set(sys.modules), sys.path[not sys.flags.safe_path :]
    engines, descriptors, began = None, list[int](), time.time_ns()
    try:
        engines, said, sources = _get_ready(course, assignment, zygote)
        needed = stamps([*loaded_files(known), *_configurations(course)])
        asking.send(
            line,
            {
                "problem": None if engines else said,
                # what was written meanwhile may have been loaded before: as if it had changed
                "depends": {
                    path: None if stamp and stamp[0] >= began else stamp
                    for path, stamp in needed.items()
                },
                "made_from": engines.depend_on if engines else sources,
                "asked": zygote.asked,
            },
        )
        try:
            order = asking.receive(line, descriptors)
        except (EOFError, OSError):
            sys.exit(0)  # the server needs it no more
        sys.path[:] = [*order["first"], *path]
        _become(order, descriptors)
        if engines is not None:
            print(said, end="", file=sys.stderr)
            command.warm = engines
        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:  # not the server's, from whose frames this was called
        traceback.print_exc()
        sys.exit(1)
    finally:
        (engines or zygote).close()
    sys.exit(0)


def _configurations(course: Path) -> list[Path]:
    """Where a course's configuration is read, whether there is any yet or not."""
    from jupyter_core.paths import jupyter_config_path

    return [Path(folder, asking.CONFIG) for folder in (str(course), *jupyter_config_path())]


def _get_ready(course: Path, assignment: str, zygote: Zygote) -> tuple[Engines | None, str, dict]:
    """Warm engines, and what was said on the way; None where there are none, and the command that
    comes will meet the reason once more. Then also what may have to change first."""
    os.chdir(course)
    app = AutogradeApp(run_with=GetReady, zygote=zygote)
    with redirect_stderr(io.StringIO()) as said:
        try:
            app.initialize([assignment, f"--CourseDirectory.root={course}"])
            app.start()
        except SystemExit as end:
            if end.code == INTERRUPTED:
                raise KeyboardInterrupt from None
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=said)
    made = app.converter.made if isinstance(app.converter, GetReady) else None
    return made, said.getvalue(), {} if made or not app.coursedir else _sources(app.coursedir)


def _sources(course: CourseDirectory) -> dict:
    """The stamps of an assignment's sources, and of a gradebook that is a file."""
    source = course.format_path(course.source_directory, ".", course.assignment_id)
    return stamps([source, course.db_url.removeprefix("sqlite:///")])


def _become(order: dict[str, Any], descriptors: list[int]) -> None:
    """Take over what the process that sent a command was started with, so that nobody can tell."""
    for number, descriptor in enumerate(descriptors[: asking.STREAMS]):
        os.dup2(descriptor, number)
    os.fchdir(descriptors[asking.STREAMS])
    for descriptor in descriptors:
        os.close(descriptor)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    os.umask(order["umask"])
    asking.open_files(order["open_files"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv[1:] = order["arguments"]
    for number in ENDING:  # whatever is ignored where the server runs
        ignored = number in order["ignored"]
        signal.signal(number, signal.SIG_IGN if ignored else signal.default_int_handler)
