"""grader/README.md: its commands, in its order, in a course that was written without this grader in
mind."""

import re
import shutil
import zipfile
from pathlib import Path

from support.foreign import ASSIGNMENT, CONFIG, FULL, RIGHT, STATS, ForeignCourse

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_commands_of_the_readme(tmp_path):
    course = ForeignCourse(tmp_path / "course", config=_block("python", "import nbseal\n"))
    said = {}
    for command in re.findall(r"^\$ (.+)$", _block("console", ""), re.MULTILINE):
        program, *arguments = command.split()
        done = course.run("-m", program, *arguments)
        said[arguments[0]] = done.stdout + done.stderr
        # two tests of this course are plain asserts, which is what `check` is there to say
        wanted = 1 if arguments[0] == "check" else 0
        assert done.returncode == wanted, f"{command}: {said[arguments[0]]}"
        if arguments[0] == "generate_assignment":
            _download(course, "ada", RIGHT)
    assert "total_hidden" in said["check"] and "mean_test" not in said["check"]
    assert (course.root / "handed_in" / "ada" / ASSIGNMENT / "stats.ipynb").is_file()
    assert course.scores("ada") == FULL
    for name in ("basics", "stats"):
        page = (course.root / "feedback" / "ada" / ASSIGNMENT / f"{name}.html").read_text()
        assert "more.csv" not in page and "list(sample(" not in page
    assert "feedback/ada" in (course.root / "reports" / ASSIGNMENT / "report.html").read_text()


def test_the_readme_s_example_is_the_test_that_is_graded_here():
    example = _block("python", "from nbseal.checks import")
    for cell in STATS[0], STATS[2].source:
        assert cell in example


def test_the_course_of_these_tests_is_configured_by_nothing_else():
    assert "nbseal" not in CONFIG


def _block(language: str, beginning: str) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if block.startswith(beginning))


def _download(course: ForeignCourse, student: str, answers: dict[str, str]) -> None:
    """What an LMS gives: one zip, a folder for each student."""
    folder = course.hand_in(student, **answers)
    with zipfile.ZipFile(course.root / "download.zip", "w") as archive:
        for path in folder.glob("*.ipynb"):
            archive.write(path, f"{student}/{path.name}")
    shutil.rmtree(folder)
