"""Due dates, extensions and late penalties: counted again without running anybody's code."""

import shutil

import pytest
from nbgrader.api import Gradebook
from nbseal.lms.origins import Origin, keep
from support.gradebooks import with_scores

ASSIGNMENT = "01_tiny"
HALF_A_DAY = """
from nbgrader.plugins import LateSubmissionPlugin
class PerDay(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * min(1, 0.5 * total_seconds_late / 86400)
c.AssignLatePenalties.plugin_class = PerDay
"""


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A gradebook where ada and grace have 2 points each."""
    path = tmp_path_factory.mktemp("scored") / "gradebook.db"
    return with_scores(path, ASSIGNMENT, {"ada": 2, "grace": 2})


@pytest.fixture
def course(tiny, scored):
    """ada handed in at noon of the first, grace at noon of the second, UTC."""
    shutil.copy(scored, tiny.root / "gradebook.db")
    for day, who in ((1, "ada"), (2, "grace")):
        folder = tiny.root / "submitted" / who / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text(f"2026-03-0{day} 12:00:00.000000 UTC\n")
    return tiny


def penalties(course):
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        return {
            one.student_id: one.late_submission_penalty
            for one in gradebook.assignment_submissions(ASSIGNMENT)
        }


def with_rule(course, text):
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + text)


def test_who_is_late_and_what_it_costs(course, grading):
    with_rule(course, HALF_A_DAY)
    done = grading("due", ASSIGNMENT, "2026-03-01 12:00 UTC")
    assert done.returncode == 0, done.stderr
    assert "grace: 1 d 0 h late, 1 points less" in done.stdout
    assert "1 of 2 were late" in done.stdout
    assert penalties(course) == {"ada": 0, "grace": 1}
    # a day and a half in all, of which an extension covers 12 hours
    done = grading("due", ASSIGNMENT, "2026-03-01 06:00 UTC", "--extend", "grace=12")
    assert penalties(course) == {"ada": 0.25, "grace": 0.75}, done.stdout
    assert grading("due", ASSIGNMENT, "never").returncode == 0
    assert penalties(course) == {"ada": 0, "grace": 0}


def test_without_a_rule_being_late_is_free_and_said(course, grading):
    done = grading("due", ASSIGNMENT, "2026-03-01 12:00 UTC")
    assert "grace: 1 d 0 h late, free" in done.stdout
    assert penalties(course) == {"ada": 0, "grace": 0}


def test_canvas_s_word_counts_before_the_time_of_its_archive(course, grading):
    """Both files have the time of the download, days after; grace alone is late."""
    with_rule(course, '\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    for who in ("ada", "grace"):
        folder = course.root / "submitted" / who / ASSIGNMENT
        (folder / "timestamp.txt").write_text("2026-03-09 12:00:00.000000 UTC\n")
        keep(course.root, ASSIGNMENT, who, Origin("canvas", "1", "x_1_2_", late=who == "grace"))
    assert grading("due", ASSIGNMENT, "2026-03-01 23:59 UTC").returncode == 0
    assert penalties(course) == {"ada": 0, "grace": 2}
    stamp = course.root / "submitted" / "ada" / ASSIGNMENT / "timestamp.txt"
    assert stamp.read_text().startswith("2026-03-01 23:59")


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((ASSIGNMENT, "someday"), "is no time"),
        ((ASSIGNMENT, "--extend", "ada"), "STUDENT=HOURS"),
        ((ASSIGNMENT, "--extend", "ada=-1"), "STUDENT=HOURS"),
        ((ASSIGNMENT, "--extend", "zoe=3"), "zoe has nothing graded"),
        (("other", "never"), "knows no assignment 'other'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(course, grading, arguments, said):
    done = grading("due", *arguments)
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert penalties(course) == {"ada": 0, "grace": 0}
