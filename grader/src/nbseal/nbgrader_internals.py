"""All that this program uses of nbgrader and nbconvert without their having promised it.

Attributes that begin with an underscore, methods called on something else than they were written
for, exceptions that are accidents. Nothing else in the package touches such things, and
tests/autograde/test_nbgrader_internals.py has a test for each that fails on the day they change.
"""

from __future__ import annotations

import functools
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import fastjsonschema
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.converters import BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.nbgraderformat.common import BaseMetadataValidator
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor

# ---- The converter -------------------------------------------------------------------------------


class OneSubmission:
    """A converter as nbgrader's own methods see it while they are about one submission.

    They take the notebooks at hand, and the folder to write to, from `self`. Here these belong to
    the submission, so that none of it is kept on the converter, where another would find it.
    """

    def __init__(self, converter: BaseConverter, notebooks: list[str], folder: Path | None = None):
        """folder: where its results are made; None for where nbgrader keeps them."""
        self._converter, self._folder = converter, folder
        self.notebooks = notebooks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._converter, name)

    def _format_dest(self, assignment: str, student: str, escape: bool = False) -> str:
        if self._folder is not None:
            return str(self._folder)
        return self._converter._format_dest(assignment, student, escape)

    def is_to_be_graded(self, assignment: str, student: str) -> bool:
        """nbgrader's rules on what is graded again; removes the old result if it is. Raises
        NotATime."""
        if not self.force and results_of(self._converter, assignment, student).exists():
            _check_time(source_of(self._converter, assignment, student))
        try:
            return BaseConverter.init_destination(self, assignment, student)
        except NOT_A_TIME as error:
            raise NotATime from error

    def is_graded_again(self, assignment: str, student: str) -> bool:
        """As is_to_be_graded with --force."""
        self.force = True
        try:
            return self.is_to_be_graded(assignment, student)
        finally:
            del self.force

    def before(self) -> None:
        """Run the course's hook."""
        BaseConverter.run_pre_convert_hook(self)

    def after(self) -> None:
        """Run the course's hook."""
        BaseConverter.run_post_convert_hook(self)

    def copy_beside(self, assignment: str, student: str) -> None:
        """Copy what lies beside the notebooks into its folder."""
        BaseConverter.init_assignment(self, assignment, student)

    def set_permissions(self, assignment: str, student: str) -> None:
        """Give the files in its folder the modes that the course configures."""
        BaseConverter.set_permissions(self, assignment, student)


def names_of(converter: BaseConverter, path: str) -> dict[str, str]:
    """Student, assignment and notebook, from the path of a submitted notebook. Raises
    NbGraderException for any other path."""
    return converter.init_single_notebook_resources(path)["nbgrader"]


def pattern_of(converter: BaseConverter, assignment: str, student: str) -> str:
    """What nbgrader looks for among files: the folders of submissions, for a student or `*`."""
    return converter._format_source(assignment, student)


def source_of(converter: BaseConverter, assignment: str, student: str) -> Path:
    """The folder that a student handed in."""
    return Path(converter._format_source(assignment, student))


def results_of(converter: BaseConverter, assignment: str, student: str) -> Path:
    """The folder where nbgrader looks for what a student's submission gave."""
    return Path(converter._format_dest(assignment, student))


def is_sanitizing(converter: BaseConverter) -> bool:
    """Whether nbgrader's autograde is reading what was handed in, or what it has written itself."""
    return getattr(converter, "_sanitizing", False)


class NotATime(ValueError):
    """A timestamp.txt holds something else than a time."""


def timestamp_of(coursedir: CourseDirectory, folder: Path) -> datetime | None:
    """When a submission was handed in, None where that is not known. Raises NotATime."""
    _check_time(folder)
    try:
        return coursedir.get_existing_timestamp(str(folder))
    except NOT_A_TIME as error:
        raise NotATime from error


# What nbgrader raises for a text that is no time; the first since it wants to call its `fail`,
# which only applications have.
NOT_A_TIME = (AttributeError, UnicodeDecodeError, OverflowError)
LONGEST_TIME = 200  # bytes


def _check_time(folder: Path) -> None:
    """Raise NotATime for a timestamp.txt that nbgrader should not open: it would wait for a pipe,
    and read a device to its end."""
    try:
        about = (folder / "timestamp.txt").lstat()
    except OSError:
        return
    if not stat.S_ISREG(about.st_mode) or about.st_size > LONGEST_TIME:
        raise NotATime


# ---- The exporter and its preprocessors ----------------------------------------------------------


def preprocessor_of(exporter: Exporter, configured: Any) -> Any:
    """A configured preprocessor - a class, its name, an object - as nbconvert would call it."""
    exporter._preprocessors = []
    exporter.register_preprocessor(configured)
    return exporter._preprocessors[0]


def resources_of(exporter: Exporter, resources: dict) -> dict:
    """Resources with all that nbconvert adds to them."""
    return exporter._init_resources(resources)


def converter_of(exporter: Any) -> Any:
    """The converter that nbgrader made an exporter for."""
    return exporter.parent


def convert_by(converter: BaseConverter, convert: Callable[[], None]) -> None:
    """Have a converter that was just started convert its notebooks in another way."""
    converter.convert_notebooks = convert


def course_of(preprocessor: NbGraderPreprocessor) -> CourseDirectory:
    """The course that a preprocessor works for: nbconvert makes it for an exporter."""
    return converter_of(preprocessor.parent).coursedir


def remove_hidden_tests(cutter: ClearHiddenTests, cell: NotebookNode) -> None:
    """Cut hidden regions out of a cell. Raises RuntimeError if one has no end."""
    cutter._remove_hidden_test_region(cell)


def checked_penalty(preprocessor: Any, notebook: Any, penalty: float) -> float:
    """A late penalty within nbgrader's bounds: not negative, and no more than the score."""
    return preprocessor._check_late_penalty(notebook, penalty)


class _CompiledSchema(BaseMetadataValidator):
    """The first step of nbgrader's validator, before its own rules."""

    compiled: Callable[[dict], Any]

    def validate_cell(self, cell: NotebookNode) -> None:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("schema_version", 0) != self.schema_version or not self._is_valid(marks):
            super().validate_cell(cell)

    def _is_valid(self, marks: dict) -> bool:
        try:
            self.compiled(marks)
        except fastjsonschema.JsonSchemaException:
            return False
        return True


class CompiledValidator(MetadataValidator, _CompiledSchema):
    """nbgrader's check of the marks on cells, with its schema compiled once: nbgrader examines the
    schema itself for every cell, most of its writing time.

    What nbgrader's class calls by `super()` is what stands behind it here.
    """

    def __init__(self) -> None:
        super().__init__()
        self.compiled = fastjsonschema.compile(self.schema)


# ---- The gradebook and the application -----------------------------------------------------------


def base_cells(source_notebook: Any) -> list:
    """All cells of a row of nbgrader's source notebooks that carry points or a comment."""
    return source_notebook._base_cells


def start_application(app: Any) -> None:
    """Read configuration and arguments, as nbgrader's commands do before they begin."""
    from nbgrader.apps.baseapp import NbGrader  # nbgrader's whole command line, seldom needed

    NbGrader.start(app)


def take_assignment(app: Any) -> None:
    """The assignment from the arguments or the configuration, by nbgrader's rules, which each of
    its commands has in its own `start`. Ends the process where there is none, or more than one."""
    if len(app.extra_args) > 1:
        app.fail("Only one argument (the assignment id) may be specified")
    if app.extra_args and app.coursedir.assignment_id != "":
        app.fail("The assignment cannot both be specified in config and as an argument")
    if app.extra_args:
        app.coursedir.assignment_id = app.extra_args[0]
    if app.coursedir.assignment_id == "":
        app.fail("An assignment id must be specified, either as an argument or with --assignment")


@contextmanager
def tables_of_one_version() -> Iterator[None]:
    """For every new gradebook nbgrader starts a process that asks for the version of its tables;
    within this, only once, since it does not change."""
    import nbgrader.api

    ask = nbgrader.api.get_alembic_version
    nbgrader.api.get_alembic_version = functools.cache(lambda: _table_version(ask))
    try:
        yield
    finally:
        nbgrader.api.get_alembic_version = ask


@functools.cache
def _table_version(ask: Any) -> str:
    return ask()
