"""Make images from what they show: a figure stored in a lecture, a check that names a mistake, and
the top of a feedback page.

    python docs/make_images.py

The check is a screenshot of the real cells of an exercise, run by a real kernel with a wrong
answer of the task files. The feedback is that of a student who handed in wrong solutions, graded in a
course of its own.
"""

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbseal.authoring import scratch_course
from nbseal.course import Course
from nbseal.errors import CourseError
from nbseal.notebook import files
from PIL import Image, ImageChops

from tools.answers import build_submission, find_answer

IMAGES = ROOT / "docs" / "images"
LECTURE, FIGURE = "02_layer_norm", "axes_figure"
ASSIGNMENT, TASK = "02_layer_norm", "layer_norm"
MISTAKE = "layer_norm-wrong-you-divided-by-d-1-in-the"
WRONG = ("layer_norm_backward-wrong-eps-has-no-effect-here",)  # handed in beside MISTAKE
WIDTH, SCALE, MARGIN = 1370, 2, 24  # pixels
FEEDBACK_WIDTH, FEEDBACK_HEIGHT = 1000, 688  # down to the end of the table of tasks


def save_figure(course: Course, file: Path) -> None:
    """The picture that a lecture's cell drew when it was last run."""
    cells = {
        cell.id: cell for cell in files.read(course.root / "lectures" / f"{LECTURE}.ipynb").cells
    }
    pictures = [
        output.data["image/png"]
        for output in cells[FIGURE].outputs
        if "image/png" in output.get("data", {})
    ]
    file.write_bytes(base64.b64decode(pictures[0]))


def failed_check(course: Course) -> NotebookNode:
    """A wrong solution and the check below it, as a notebook of two executed cells."""
    notebook = build_submission(course, find_answer(course, ASSIGNMENT, MISTAKE))
    shown = (TASK, f"{TASK}_test")
    notebook.cells = [cell for cell in notebook.cells if cell.id in ("setup", "imports", *shown)]
    files.execute(notebook, course.exercises / ASSIGNMENT, allow_errors=True)
    notebook.cells = [cell for cell in notebook.cells if cell.id in shown]
    return notebook


def feedback(course: Course, folder: Path) -> Path:
    """The feedback page of a student who handed in wrong solutions."""
    notebook = build_submission(course, find_answer(course, ASSIGNMENT, MISTAKE))
    for name in WRONG:
        entry = find_answer(course, ASSIGNMENT, name)
        for cell in notebook.cells:
            cell.source = entry.cells.get(cell.id, cell.source)
    scratch = scratch_course.make(course, ASSIGNMENT, folder)
    scratch_course.hand_in(scratch, "ada", ASSIGNMENT, notebook)
    for command in (["nbseal", "autograde", "--create"], ["nbgrader", "generate_feedback"]):
        arguments = [sys.executable, "-m", *command, ASSIGNMENT]
        subprocess.run(arguments, cwd=scratch.root, check=True, capture_output=True, timeout=300)
    [page] = (scratch.root / "feedback" / "ada" / ASSIGNMENT).glob("*.html")
    return page


def screenshot(notebook: NotebookNode, file: Path) -> None:
    """The notebook as JupyterLab shows it."""
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(page, encoding="utf-8")
        photograph(Path(folder) / "page.html", file, WIDTH, 1400)
    crop(file)


def photograph(page: Path, file: Path, width: int, height: int) -> None:
    """A page's first screen, photographed by a browser without a window."""
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if browser is None:
        raise CourseError(
            "taking a picture needs chromium: install it, for example `apt install chromium`."
        )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--screenshot={file}",
                f"--window-size={width},{height}",
                f"--force-device-scale-factor={SCALE}",
                f"--user-data-dir={folder}/profile",
                "--virtual-time-budget=4000",
                str(page),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def crop(file: Path) -> None:
    """Cut away the empty page around the content."""
    with Image.open(file) as picture:
        picture = picture.convert("RGB")
    empty = Image.new(
        "RGB", picture.size, picture.getpixel((picture.width - 1, picture.height - 1))
    )
    _, top, _, bottom = ImageChops.difference(picture, empty).getbbox()
    margin = MARGIN * SCALE
    box = (0, max(top - margin, 0), picture.width, min(bottom + margin, picture.height))
    picture.crop(box).quantize(128).save(file, optimize=True)


def main() -> None:
    course = Course.at(ROOT)
    IMAGES.mkdir(exist_ok=True)
    save_figure(course, IMAGES / "lecture.png")
    screenshot(failed_check(course), IMAGES / "check.png")
    with tempfile.TemporaryDirectory() as folder:
        page = feedback(course, Path(folder) / "course")
        photograph(page, IMAGES / "feedback.png", FEEDBACK_WIDTH, FEEDBACK_HEIGHT)
    with Image.open(IMAGES / "feedback.png") as picture:
        picture.convert("RGB").quantize(128).save(IMAGES / "feedback.png", optimize=True)


if __name__ == "__main__":
    try:
        main()
    except CourseError as error:
        sys.exit(f"make_images: {error}")
