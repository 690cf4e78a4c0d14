"""The writer's parts, each alone: rows of the gradebook, files, limits, notebooks as text, the
display."""

import fcntl
import io
import json
import logging
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from nbseal import folders
from nbseal.autograde.engines import limits_of
from nbseal.autograde.gradebook import ATTENTION, MissingEntry, OpenGradebook
from nbseal.autograde.progress import ProgressDisplay
from nbseal.autograde.reasons import Surprise, reason_of
from nbseal.autograde.results import SubmissionResult
from nbseal.autograde.source import locked_cells, restore_tags
from nbseal.autograde.summary import RunSummary, print_summary, write_record
from nbseal.autograde.writing import SealedExecute, fill_in
from nbseal.errors import CourseError
from nbseal.folders import copy_files
from nbseal.intake.damage import Damaged
from nbseal.notebook import files
from nbseal.notebook.notes import forget_claims, verdict_of
from nbseal.records import CellOutputs, CellVerdict, CheckResult, GradedExecution, Limits
from rich.console import Console
from support.classroom import PATH
from support.engine_tools import code, notebook
from traitlets import TraitError

# ---- The gradebook -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A gradebook with one assignment of two notebooks, as `nbgrader generate_assignment` fills
    it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('gradebook') / 'gradebook.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", PATH)
        Gradebook(url, "course").close()
    with Gradebook(url, "course") as gradebook:
        gradebook.add_assignment("ps1", duedate="2030-01-01 00:00:00 UTC")
        for name in ("a", "b"):
            gradebook.add_notebook(name, "ps1", kernelspec='{"name": "python3"}')
            gradebook.add_solution_cell("answer", name, "ps1")
            gradebook.add_grade_cell("answer_test", name, "ps1", max_score=2, cell_type="code")
            gradebook.add_solution_cell("essay", name, "ps1")
            gradebook.add_grade_cell("essay", name, "ps1", max_score=4, cell_type="markdown")
            gradebook.add_task_cell("task", name, "ps1", max_score=3, cell_type="markdown")
            for cell, kind, locked in (
                ("answer", "code", False),
                ("answer_test", "code", True),
                ("essay", "markdown", False),
            ):
                gradebook.add_source_cell(
                    cell,
                    name,
                    "ps1",
                    cell_type=kind,
                    locked=locked,
                    source=f"{cell}()",
                    checksum="0",
                )
    return url


def test_a_submission_has_the_rows_that_nbgrader_gives_it(released):
    with Gradebook(released, "course") as gradebook:
        gradebook.update_or_create_student("theirs")
        gradebook.update_or_create_submission("ps1", "theirs")
    with OpenGradebook(released, "course") as ours, ours.submission("ps1", "ours", None):
        pass
    with Gradebook(released, "course") as gradebook:
        theirs, ours = (
            _rows(gradebook.find_submission("ps1", student)) for student in ("theirs", "ours")
        )
        assert theirs == ours and len(ours) == 2 * (3 + 3)
        assert gradebook.find_submission("ps1", "ours").max_score == 2 * (2 + 4 + 3)


def _rows(submission):
    rows = [
        (
            nb.name,
            "grade",
            grade.name,
            grade.auto_score,
            grade.needs_manual_grade,
            grade.score,
            grade.max_score,
        )
        for nb in submission.notebooks
        for grade in nb.grades
    ]
    return sorted(
        map(
            str,
            rows
            + [
                (nb.name, "comment", c.name, c.comment)
                for nb in submission.notebooks
                for c in nb.comments
            ],
        )
    )


def test_a_second_opening_finds_the_same_rows_and_scores_follow_nbgraders_rule(released):
    with OpenGradebook(released, "course") as gradebook:
        with gradebook.submission("ps1", "emmy", None) as rows:
            rows.notebooks["a"].grades["answer_test"].auto_score = 1.5
            rows.notebooks["a"].grades["answer_test"].extra_credit = 0.5
            rows.notebooks["a"].grades["essay"].manual_score = 3
            rows.notebooks["a"].grades["essay"].auto_score = 0
            assert rows.notebooks["a"].score == 5
        with gradebook.submission("ps1", "emmy", None) as rows:
            assert rows.notebooks["a"].score == 5
    with Gradebook(released, "course") as gradebook:
        assert gradebook.find_submission("ps1", "emmy").score == 5


def test_an_exception_keeps_nothing(released):
    with OpenGradebook(released, "course") as gradebook, pytest.raises(ZeroDivisionError):
        with gradebook.submission("ps1", "nobody", None) as rows:
            rows.notebooks["a"].give_zero()
            1 / 0
    with Gradebook(released, "course") as gradebook, pytest.raises(MissingEntry):
        gradebook.find_student("nobody")


def test_a_flag_of_ours_is_withdrawn_and_a_persons_stays(released):
    with OpenGradebook(released, "course") as gradebook:
        with gradebook.submission("ps1", "grace", None) as rows:
            rows.notebooks["a"].give_nothing("It is broken.")
            rows.notebooks["b"].row.flagged = True
        with gradebook.submission("ps1", "grace", None) as rows:
            assert ATTENTION + "It is broken." in [
                c.auto_comment for c in rows.notebooks["a"].comments.values()
            ]
            for nb in rows.notebooks.values():
                nb.withdraw_flag()
            assert (rows.notebooks["a"].row.flagged, rows.notebooks["b"].row.flagged) == (
                False,
                True,
            )
            assert {c.auto_comment for c in rows.notebooks["a"].comments.values()} == {None}


def test_what_the_engine_is_told_are_the_locked_code_cells(released):
    with OpenGradebook(released, "course") as gradebook:
        cells = locked_cells(gradebook.source("ps1").notebooks["a"]).cells
        assert [
            (cell.metadata.nbgrader.grade_id, cell.metadata.nbgrader.points) for cell in cells
        ] == [("answer_test", 2)]
        with pytest.raises(MissingEntry):
            gradebook.source("ps2")


# ---- Files ---------------------------------------------------------------------------------------


def write(folder, *written):
    return folders.write_session_files(written, folder, {"tasks": None})


def test_files_of_a_session_come_back(tmp_path):
    (tmp_path / "data.txt").write_text("handed in")
    (tmp_path / "data.txt").chmod(0o444)
    assert write(tmp_path, ("data.txt", b"changed"), ("new/deep.bin", b"\0")) == []
    assert (tmp_path / "data.txt").read_text() == "changed" and (
        tmp_path / "new" / "deep.bin"
    ).read_bytes() == b"\0"


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "a/../../escaped", "..", "."])
def test_no_file_of_a_session_leaves_its_folder(tmp_path, name):
    with pytest.raises((ValueError, OSError)):
        write(tmp_path / "inside", (name, b"x"))
    assert not list(tmp_path.glob("**/escaped"))


def test_no_file_of_a_session_goes_through_a_link(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(ValueError):
        write(tmp_path / "inside", ("link/escaped", b"x"))


NOT_A_SESSIONS = [
    "tasks.ipynb",
    "./other.ipynb",
    "tasks.ipynb/x",
    "Tasks.IPYNB/x",
    "sub/tasks.ipynb",
    "timestamp.txt",
    "./timestamp.txt",
    "timestamp.txt/x",
    "tasks.html",
    "tasks.html/x",
    "nbgrader_config.py",
    "sub/nbgrader_config.py/x",
    "sitecustomize.py",
    "usercustomize.py",
    "conftest.py",
    "evil.pth",
    ".git/config",
    ".git/hooks/post-checkout",
    ".ipynb_checkpoints/tasks-checkpoint.ipynb",
    "sub/.hidden",
]


@pytest.mark.parametrize("name", NOT_A_SESSIONS)
def test_what_is_not_a_sessions_to_write_is_left_out_in_any_part_of_a_path(tmp_path, name):
    assert write(tmp_path, (name, b"x"), ("mine.txt", b"y")) == [name]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_gives_way_to_what_lies_there(tmp_path):
    """A session can put a file where a folder was, and a folder where a file was."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "names.txt").write_text("ada")
    (tmp_path / "notes").write_text("mine")
    long = "x" * 300
    names = ["data", "notes/x", "notes/x/y", long]
    assert write(tmp_path, *((name, b"x") for name in names)) == names
    assert (tmp_path / "data" / "names.txt").read_text() == "ada"
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_session_gets_no_links_and_no_notebook_of_the_assignment(tmp_path):
    (tmp_path / "from").mkdir()
    for name in ("data.txt", "tasks.ipynb", "extra.ipynb"):
        (tmp_path / "from" / name).write_text(name)
    (tmp_path / "from" / "link").symlink_to("/etc/passwd")
    copy_files(tmp_path / "from", tmp_path / "to", leave_out=frozenset({"tasks"}))
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["data.txt", "extra.ipynb"]


def test_staging_areas_of_killed_runs_are_removed_and_those_at_work_stay(tmp_path):
    with folders.staging_area(tmp_path) as at_work:
        abandoned = tmp_path / f"{folders.PREFIX}killed"
        abandoned.mkdir()
        (abandoned / "lock").touch()
        with folders.staging_area(tmp_path) as second:
            assert at_work.exists() and second.exists() and not abandoned.exists()
    assert list(tmp_path.iterdir()) == []


def test_publishing_into_a_folder_leaves_other_notebooks_alone(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, names in (
        (old, ("a.ipynb", "b.ipynb", "data.txt")),
        (new, ("a.ipynb", "data.txt", "sub/more.txt")),
    ):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(folder.name)
            (folder / name).chmod(0o444)
    folders.publish(new, old, ["a.ipynb"])
    assert {
        str(path.relative_to(old)): path.read_text() for path in old.rglob("*") if path.is_file()
    } == {"a.ipynb": "new", "b.ipynb": "old", "data.txt": "new", "sub/more.txt": "new"}


# ---- Limits, reasons, text -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "timeout, others, cell, session",
    [
        (30, {}, 30, 300),
        (None, {}, 300, 300),
        (-1, {}, 300, 300),
        (3600, {}, 3600, 7200),
        (400, {"session_seconds": 350}, 400, 350),
    ],
)
def test_the_limits_of_a_session_follow_nbgraders_timeout(timeout, others, cell, session):
    limits = limits_of(timeout, others)
    assert (limits.cell_seconds, limits.session_seconds) == (cell, session)
    assert limits.memory_bytes == Limits().memory_bytes


@pytest.mark.parametrize(
    "limits", [{"memory": 1}, {"processes": 0}, {"file_bytes": "1 GB"}, {"cell_seconds": 5}]
)
def test_a_limit_that_is_none_is_named(limits):
    with pytest.raises(TraitError, match=next(iter(limits))):
        SealedExecute(limits=limits)


def test_only_what_nobody_foresaw_is_a_surprise():
    assert isinstance(reason_of(TypeError("x")), Surprise)
    for error in (
        Damaged("It is empty."),
        nbformat.ValidationError("x"),
        RecursionError(),
        UnicodeDecodeError("utf-8", b"", 0, 1, "x"),
    ):
        assert not isinstance(reason_of(error), Surprise) and reason_of(error).endswith(".")
    assert (
        "\n" not in reason_of(ValueError("one\ntwo"))
        and len(reason_of(ValueError("x" * 10_000))) < 500
    )


def test_a_notebook_written_by_cell_is_read_back_the_same(tmp_path):
    nb = notebook(code("a = 1\nb = 'ü'", "x", test=True), new_markdown_cell("# T"))
    nb.cells[0].outputs = [
        new_output("stream", text="1\n2\n"),
        new_output("display_data", {"image/png": "aGk=", "text/plain": "x"}),
    ]
    path = tmp_path / "nb.ipynb"
    path.write_text(files.by_cell(nb), encoding="utf-8")
    assert nbformat.read(path, as_version=4) == nb == files.loads(path.read_text())
    assert len(path.read_text().splitlines()) < 12 and json.loads(path.read_text())["nbformat"] == 4


def test_what_is_no_notebook_is_not_written():
    nb = new_notebook(cells=[new_code_cell("1")])
    nb.cells[0].outputs = [{"output_type": "bogus"}]
    with pytest.raises(nbformat.ValidationError):
        files.by_cell(nb)


# ---- From an execution to a notebook -------------------------------------------------------------


def test_only_outputs_and_verdicts_are_taken_from_an_execution():
    nb = notebook(
        code("1", "own", solution=True), code("t()", "t", test=True), code("u()", "u", test=True)
    )
    nb.cells[2].outputs, nb.cells[2].execution_count = [new_output("stream", text="claimed")], 7
    error = new_output("error", ename="CheckFailed", evalue="a check", traceback=["a check"])
    shown = {0: CellOutputs([new_output("stream", text="hello")], 1), 1: CellOutputs([error], 2)}
    failed = CheckResult("a check", False, mistake="A mistake.", detail="got 4827")
    verdict = CellVerdict("t", False, (failed,))
    fill_in(nb, GradedExecution(shown, (verdict,), 0, 0, 0, flags=("look",)))
    assert nb.cells[0].source == "1" and nb.cells[0].outputs[0].text == "hello"
    assert verdict_of(nb.cells[1]) == replace(verdict, checks=(replace(failed, detail=""),))
    assert "got 4827" in "\n".join(nb.cells[1].outputs[0].traceback)
    assert "4827" not in str(nb.cells[1].metadata)
    assert nb.cells[2].outputs[0].ename == "NotRun"  # a test that did not run passes nothing
    assert nb.metadata.nbseal == {
        "sealed": True,
        "repeated": False,
        "problem": None,
        "flags": ["look"],
    }


def test_claims_and_tags_of_a_submission_count_for_nothing():
    nb = notebook(
        code("t()", "t", test=True, tags=["skip-execution"]),
        code("mine()", tags=["skip-execution"]),
    )
    nb.metadata["nbseal"] = nb.cells[0].metadata["nbseal"] = {"passed": True}
    forget_claims(nb)
    restore_tags(nb, {"t"}, {"t": ["keep"]}, logging.getLogger("test"))
    assert "nbseal" not in nb.metadata and "nbseal" not in nb.cells[0].metadata
    assert nb.cells[0].metadata.tags == ["keep"] and nb.cells[1].metadata.tags == ["skip-execution"]


# ---- What people see -----------------------------------------------------------------------------


def result(student: str, status="graded", problem=None) -> SubmissionResult:
    return SubmissionResult(student, status, problem, 1.0, 0.1, 0.1, 2.0, ())


def test_a_log_gets_plain_lines(monkeypatch):
    monkeypatch.setattr("nbseal.autograde.progress.PLAIN_EVERY", 0.0)
    log = io.StringIO()
    with ProgressDisplay("ps1", Console(file=log, width=40)) as display:
        display.expects(3)
        display.skipped("ada")
        display.finished(result("emmy"))
        display.finished(result("grace", "failed", "It is broken."))
    lines = log.getvalue().splitlines()
    assert lines[0] == "ps1: 3 submissions" and "\x1b" not in log.getvalue()
    assert lines[1].startswith("ps1: 1 of 2 done, 0 failed, ") and lines[2].startswith(
        "ps1: 2 of 2 done, 1 failed, "
    )
    assert lines[2].endswith("0 s left")


def test_a_terminal_gets_a_live_line():
    terminal = io.StringIO()
    with ProgressDisplay("ps1", Console(file=terminal, force_terminal=True, width=120)) as display:
        display.expects(2)
        display.finished(result("emmy"))
        display.finished(result("grace", "failed", "It is broken."))
    assert (
        "2/2" in terminal.getvalue()
        and "1 failed" in terminal.getvalue()
        and "/s" in terminal.getvalue()
    )


def test_the_summary_says_whom_to_look_at_and_the_record_everything(tmp_path):
    failed = [result(f"s{number:02}", "failed", "It is broken.") for number in range(20)]
    summary = RunSummary("ps1", [result("emmy"), *failed], ["ada"], 10.0, 2, 3.0)
    text = io.StringIO()
    print_summary(summary, Console(file=text, width=100))
    assert (
        "1 graded, 20 failed, 1 already graded" in text.getvalue()
        and "and 5 more" in text.getvalue()
    )
    write_record(summary, tmp_path / "record.json")
    record = json.loads((tmp_path / "record.json").read_text())
    assert len(record["submissions"]) == 21 and record["already_graded"] == ["ada"]
    with pytest.raises(CourseError, match="could not be written"):
        write_record(summary, tmp_path / "no" / "record.json")


def test_a_lock_is_what_keeps_an_area(tmp_path):
    with (
        folders.staging_area(tmp_path) as area,
        open(Path(area) / "lock") as lock,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
