"""A student in JupyterLab: a TODO filled wrongly, the mistake named, mended, the tick, and
nbgrader's Validate."""

import shutil
from pathlib import Path

from nbseal.notebook import files

from tests.screens.jupyter_lab import running_lab
from tests.screens.lab_page import NotebookPage, fold_side_bar
from tools.answers import build_submission, load_answers

ASSIGNMENT, TASK = "02_layer_norm", "row_stats"
WRONG = "return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)"
RIGHT = "return x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)"


def students_copy(course, folder: Path) -> Path:
    """The course as a student has it, the exercise solved but for its first task; returns the
    notebook."""
    for name in ("exercises", "data", "checks"):
        shutil.copytree(
            course.root / name, folder / name, ignore=shutil.ignore_patterns(".*", "__pycache__")
        )
    shutil.copy(course.root / "utils.py", folder)
    file = folder / course.released_notebook(ASSIGNMENT).relative_to(course.root)
    todo = {cell.id: cell.source for cell in files.read(file).cells}[TASK]
    solved = build_submission(
        course, next(entry for entry in load_answers(course, ASSIGNMENT) if entry.is_right)
    )
    next(cell for cell in solved.cells if cell.id == TASK).source = todo
    files.write(solved, file)
    return file


def test_a_student_reads_which_mistake_it_is_mends_it_and_validates(
    real, browser, picture, tmp_path
):
    folder, private = tmp_path / "course", tmp_path / "jupyter"
    folder.mkdir()
    private.mkdir()
    file = students_copy(real, folder)
    with running_lab(folder, private) as url:
        page = NotebookPage(browser, url.format(path=f"lab/tree/{file.relative_to(folder)}"), file)
        fold_side_bar(browser)
        page.run("setup")
        page.run("imports")
        page.output("setup", "course's files")

        page.replace_line(TASK, "raise NotImplementedError", WRONG)
        page.run(TASK)
        page.run(f"{TASK}_test")
        told = page.output(f"{TASK}_test", "You divided by D - 1")
        assert "the variance of each row" in told
        browser.show(page.cell(TASK), "start")
        picture("student_mistake")

        page.replace_line(TASK, "return x", RIGHT)
        page.run(TASK)
        page.run(f"{TASK}_test")
        told = page.output(f"{TASK}_test", "✓ the variance of each row")
        assert "You divided" not in told

        browser.show(page.cell(TASK), "start")
        page.save()
        browser.click(
            ".jp-NotebookPanel-toolbar button, .jp-NotebookPanel-toolbar jp-button", "Validate"
        )
        browser.see(".jp-Dialog", "Success! Your notebook passes all the tests.")
        picture("student_validate")

    saved = {cell.id: cell.source for cell in files.read(file).cells}
    assert RIGHT in saved[TASK] and "NotImplementedError" not in saved[TASK]
