"""Plain data that travels between the parts of the autograder.

Nothing here does anything: every effect (spawning, confining, comparing, writing) has its own
module, and these frozen records are all they know of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from nbformat import NotebookNode

from nbseal.view import CourseView

Outcome = Literal["completed", "raised", "died", "timed out", "not run"]


@dataclass(frozen=True)
class Limits:
    """What one session may use. Seconds are wall-clock unless the name says cpu; sizes are in
    bytes."""

    cell_seconds: float = 30.0  # nbgrader's default for one cell
    session_seconds: float = 300.0  # all cells of a submission together
    cpu_seconds: int = 300
    memory_bytes: int = 4 << 30
    processes: int = 64
    file_bytes: int = 256 << 20  # the largest single file
    scratch_bytes: int = 512 << 20
    scratch_files: int = 20_000
    output_bytes: int = 1 << 20  # what one cell may print and display
    answer_bytes: int = 64 << 20  # what one test cell may answer

    def output_of(self, cell: CellOrder) -> int:
        """What a cell may print and display: figures that a person grades are the work itself."""
        return self.output_bytes * (16 if cell.by_person else 1)


# Not how many seconds: a repetition has what the first attempt left it, which that could choose.
OUT_OF_CPU = "used up its processor time"


@dataclass(frozen=True)
class Work:
    """One notebook of one submission, after nbgrader has put the instructor's locked cells back
    (full test sources). The notebook is read and never changed."""

    student: str
    notebook_name: str
    notebook: NotebookNode = field(repr=False)
    # files handed in beside the notebook; copied into the session, never run in place
    folder: Path | None = None


@dataclass(frozen=True)
class NotAnswer:
    """Stands for something a student's code returned that cannot travel as plain data: says what it
    was."""

    description: str


@dataclass(frozen=True)
class Answer:
    """One value that a student's code returned to ``expect``: plain data, or a NotAnswer."""

    label: str
    data: Any


@dataclass(frozen=True)
class PackedAnswer:
    """An Answer as it left the session: a JSON outline and safetensors bytes, decoded only where it
    is judged."""

    label: str
    outline: Any
    tensors: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class TestRecord:
    """What a sealed test cell brought back from the session."""

    __test__ = False  # not a pytest class

    grade_id: str
    outcome: Outcome
    answers: tuple[PackedAnswer, ...] = ()
    # ename, evalue, traceback of what it raised; the student's process says so
    error: dict | None = None
    # of the session, beside its main one, when this test had used up its time
    threads: int = 0
    used: tuple[str, ...] = ()  # forbidden operators that the session caught at work (by_hand)
    imported: tuple[str, ...] = ()  # modules that it loaded; the student's process says so


@dataclass(frozen=True)
class CellOrder:
    """One code cell to be executed: in the session itself, or sealed, in a process forked from
    it."""

    index: int  # its place in the notebook
    source: str  # for a test, the sealed source
    grade_id: str | None = None
    test: bool = False
    checks: int = 0  # how many answers the test is to bring
    own: bool = False  # it stands so in the instructor's notebook
    # names that a test binds and no other cell of the instructor's: where a student has bound one
    # of them, it is the student's
    binds: tuple[str, ...] = ()
    by_person: bool = False  # a person gives its points, by what it shows


@dataclass(frozen=True)
class Order:
    """All that is needed to execute a submission; what an Executor carries to where the warm
    workers are."""

    cells: tuple[CellOrder, ...]
    course: CourseView
    key: str = field(repr=False)
    limits: Limits = Limits()
    folder: str | None = None
    modules: tuple[str, ...] = ()  # to be imported before the session is forked
    accept_open: frozenset[str] = frozenset()
    seed: int | None = None  # for the global random generators; None leaves them alone
    draws_with: str = "python"  # the library whose numbers `sample` returns
    last_test_here: bool = False  # run the last cell, a test, without a fork
    # the cells in the order in which they are run, by index: each alone, or several tests that
    # share a process; each alone if not given
    steps: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Ran:
    """How one cell ended, and the messages that a kernel would have sent, as JSON written by the
    student's process."""

    messages: bytes = field(repr=False)
    reply: dict
    timed_out: bool = False


@dataclass(frozen=True)
class Execution:
    """What came back for an Order."""

    # index of the cell -> how it went; cells that were never reached are not there
    ran: dict[int, Ran]
    tests: dict[int, TestRecord]
    seconds: float
    cpu_seconds: float
    peak_memory: int
    problem: str | None = None
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    # something else on the machine ended it, as the trusted side saw: a reason to run it once more
    killed: bool = False
    shown: bool = False  # it was sent a test, and knows it from then on
    repeated: bool = False  # an earlier attempt may have told this one what the tests are


@dataclass(frozen=True)
class CheckResult:
    """What became of one check: the one form it has from where it is judged to what people read.

    ``reason`` and ``mistake`` are what a student may read. Of a cell's checks one names its
    mistake, the first that can; for a hidden check the reason is empty. ``detail`` is the full
    reason, with the mistakes that were not told, for the instructor only.
    """

    label: str
    ok: bool
    hidden: bool = True
    reason: str = ""
    mistake: str | None = None
    see: Sequence[str] | None = None  # where the mistake is explained: title and web address
    reached: bool = True  # the test came as far as this check
    flag: str | None = None  # what an instructor should look at
    safe: str = ""
    detail: str = field(default="", repr=False)
    # what was answered where it failed: short visible answers as Python, any other as a digest
    answer: str = ""
    number: float | None = None  # what a criterion compared, such as a loss

    @property
    def is_passed_over(self) -> bool:
        """Whether nothing is to be said but that the test ended before it."""
        return not self.reached and not self.reason


@dataclass(frozen=True)
class CellVerdict:
    """All checks of one sealed test cell. A cell passes as a whole or not at all."""

    grade_id: str
    passed: bool
    checks: tuple[CheckResult, ...] = ()
    # why the cell could not run to its end, in a sentence for the student
    problem: str | None = None

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if not check.ok)


@dataclass(frozen=True)
class CellOutputs:
    """What one code cell shows: what nbclient would have recorded, and for a sealed test cell tick
    lines on stdout and, where it failed, an error output."""

    outputs: list[NotebookNode] = field(repr=False)
    execution_count: int | None = None


@dataclass(frozen=True)
class GradedExecution:
    """A submission, executed and judged.

    ``cells`` has what each code cell shows, by the cell's place in the notebook. ``problem`` is set
    when the submission could not be run to its end.
    """

    cells: Mapping[int, CellOutputs] = field(repr=False)
    verdicts: tuple[CellVerdict, ...]
    seconds: float
    cpu_seconds: float
    peak_memory: int
    problem: str | None = None
    flags: tuple[str, ...] = ()  # what an instructor should look at; costs no points
    # what the cells wrote: relative path, content
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    repeated: bool = False  # its outputs may tell what an earlier attempt saw of the tests


@dataclass(frozen=True)
class ReferenceCell:
    """One code cell of the instructor's notebook, solution or test; a test is named, with the lines
    of the checks that students see."""

    source: str
    test: str | None = None
    shown: tuple[int, ...] = ()


@dataclass(frozen=True)
class Check:
    """One check of the reference run: its label, and whether students may not see more of it."""

    label: str
    hidden: bool
