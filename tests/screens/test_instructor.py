"""An instructor in Formgrader: release, collect, autograde, a score and a comment by hand, feedback
returned."""

from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbseal.authoring import scratch_course
from nbseal.course import Course
from nbseal.notebook import files
from support.classroom import run

from tests.screens.browser import Browser, Keys
from tests.screens.formgrader import Formgrader
from tests.screens.jupyter_lab import running_lab
from tools.answers import build_submission, find_answer

ASSIGNMENT, NOTEBOOK = "02_layer_norm", "layer_norm"
CLASS = {"mia": "whole-arena", "noah": "layer_norm-wrong-you-divided-by-d-1-in-the"}
TABLE_HEIGHT = 570  # pixels of the window that show something
TALL = 1330  # enough for an answer, its check and what the check says
# In JupyterHub's containers everybody is "jovyan", and nbgrader takes the name from the hub.
NBGRADER_OF_JOVYAN = """
import nbgrader.utils
nbgrader.utils.get_osusername = lambda: "jovyan"
from nbgrader.apps import NbGraderApp
NbGraderApp.launch_instance()
"""
COMMENT = "All is right but the 1/D: read the definition in task 1 again."


@pytest.fixture
def course(real, tmp_path) -> Course:
    """A course in a folder of its own, with an exchange as JupyterHub has one."""
    scratch = scratch_course.make(real, ASSIGNMENT, tmp_path / "course")
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    with open(scratch.root / "nbgrader_config.py", "a", encoding="utf-8") as config:
        config.write(f"\nc.Exchange.root = {str(exchange)!r}\n")
    with Gradebook(f"sqlite:///{scratch.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student("mia", first_name="Mia", last_name="Keller")
        gradebook.add_student("noah", first_name="Noah", last_name="Okafor")
    return scratch


def submit(real: Course, course: Course, home: Path, student: str, solution: str) -> None:
    """What `nbgrader submit` does when a student hands in an answer of the task files."""
    entry = find_answer(real, ASSIGNMENT, solution)
    folder = home / student / ASSIGNMENT
    folder.mkdir(parents=True)
    files.write(build_submission(real, entry), folder / f"{NOTEBOOK}.ipynb")
    (home / student / "nbgrader_config.py").write_bytes(
        (course.root / "nbgrader_config.py").read_bytes()
    )
    done = run(
        home / student, "-c", NBGRADER_OF_JOVYAN, "submit", ASSIGNMENT, JUPYTERHUB_USER=student
    )
    assert done.returncode == 0, done.stderr


def test_an_instructor_grades_in_formgrader_and_returns_feedback(
    real, course, browser, picture, tmp_path
):
    private = tmp_path / "jupyter"
    private.mkdir()
    with running_lab(course.root, private) as url:
        formgrader = Formgrader.in_lab(browser, url.format(path="lab"))
        formgrader.press(ASSIGNMENT, "release")
        for student, solution in CLASS.items():
            submit(real, course, tmp_path / "homes", student, solution)
        formgrader.press(ASSIGNMENT, "collect")
        browser.see(f"{formgrader.row(ASSIGNMENT)} .num-submissions", "2")
        picture("formgrader_assignments", TABLE_HEIGHT)

        browser.click(f"{formgrader.row(ASSIGNMENT)} .num-submissions a")
        browser.see(formgrader.row("noah"), "needs autograding")
        for student in CLASS:
            formgrader.press(student, "autograde")
        browser.see(f"{formgrader.row('mia')} .score", "18 / 18")
        browser.see(f"{formgrader.row('noah')} .score", "16 / 18")
        picture("formgrader_scores", TABLE_HEIGHT)

        browser.click(".sidebar a, a", "Manual Grading")
        browser.click("a", ASSIGNMENT)
        browser.click("a", NOTEBOOK)
        # a number stands for the name: grading is blind
        browser.click(f"{formgrader.row('16 / 18')} a")
        browser.see("mjx-container svg")
        grade_by_hand(browser)
        answer = browser.driver.find_element("id", f"{NOTEBOOK}-comment")
        browser.show(
            answer.find_element("xpath", "ancestor::div[contains(@class, 'nbgrader_cell')]"),
            "start",
        )
        # from below the bar that stays on top
        browser.driver.execute_script("window.scrollBy(0, -100)")
        picture("formgrader_by_hand", 640)  # what comes below shows hidden tests
        leave_by_key(browser)
        assert browser.errors() == []

        browser.open(url.format(path=f"formgrader/manage_submissions/{ASSIGNMENT}"))
        browser.see(f"{formgrader.row('noah')} .score", "17 / 18")
        formgrader.press("noah", "generate-feedback")
        formgrader.press("noah", "release-feedback")

        feedback = course.root / "feedback" / "noah" / ASSIGNMENT / f"{NOTEBOOK}.html"
        browser.open(url.format(path=f"files/{feedback.relative_to(course.root)}"))
        browser.see("body", COMMENT)
        assert "You divided by D - 1" in browser.text()
        browser.resize(TALL)
        browser.show(
            browser.driver.find_element(
                "xpath",
                f"//*[contains(text(), {COMMENT!r})]/ancestor::div[contains(@class, 'nbgrader_cell')]",
            ),
            "start",
        )
        picture("feedback", 965)
        browser.resize()

    [returned] = (tmp_path / "exchange").glob("*/feedback/*.html")
    assert COMMENT in returned.read_text(encoding="utf-8")


def grade_by_hand(browser: Browser) -> None:
    """One point of two for the right idea, and a comment that says what was missing."""
    points = browser.see(f"#{NOTEBOOK}_test")
    browser.show(points)
    points.clear()
    points.send_keys("1")
    comment = browser.see(f"#{NOTEBOOK}-comment")
    comment.click()  # which leaves the points, and has them saved
    browser.see(".score-saved")  # for a second
    comment.send_keys(COMMENT)
    browser.driver.execute_script("arguments[0].blur()", comment)
    browser.see(".comment-saved")


def leave_by_key(browser: Browser) -> None:
    """Formgrader's own keys, which its script sets up last."""
    browser.see(f"#{NOTEBOOK}_test").click()
    browser.press(Keys.ESCAPE)
    browser.until(
        "the Escape key to leave the input",
        lambda: browser.driver.switch_to.active_element.tag_name == "body",
    )
