"""A team hands in one submission: it is run once, and each member has its score and its feedback."""

import shutil

import pytest
from nbgrader.api import Gradebook
from nbseal.lms.origins import Origin, keep
from support.classroom import ASSIGNMENT, NOTEBOOK, Classroom, add_cell, run

TIME = "import time\nprint(time.time_ns(), end='')"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """ada and grace are a team, and so are bo and cy, who have handed in different files; dan has
    the same file as ada, and no team."""
    room = Classroom(tmp_path_factory.mktemp("room"))
    path = room.hand_in(
        "ada", add_cell(TIME, after="double_test"), double="def double(x):\n    return x + 2"
    )
    for who in ("grace", "bo", "cy", "dan"):
        room.folder(who).mkdir(parents=True)
        shutil.copy(path, room.folder(who))
    (room.folder("cy") / "beside.txt").write_text("cy's own")
    for team in (("ada", "grace"), ("bo", "cy")):
        for who in team:
            keep(room.root, ASSIGNMENT, who, Origin("moodle", "42", team=team))
    assert room.autograde().returncode == 0
    return room


def printed(room, who):
    return next(
        cell.outputs[0].text
        for cell in room.autograded(who).cells
        if cell.source == TIME and cell.outputs
    )


def test_what_a_team_has_handed_in_is_run_once(room):
    times = {who: printed(room, who) for who in ("ada", "grace", "bo", "cy", "dan")}
    assert times["ada"] == times["grace"]
    assert len(set(times.values())) == 4, "and nobody else's for another"


def test_what_is_given_by_hand_to_one_is_given_to_all(room):
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("double_test", NOTEBOOK, ASSIGNMENT, "ada")
        grade.manual_score, grade.extra_credit = 1.5, 0.25
        comment = gradebook.find_comment("double", NOTEBOOK, ASSIGNMENT, "ada")
        comment.manual_comment = "nearly"
        gradebook.db.commit()
    done = run(room.root, "-m", "nbseal", "share", ASSIGNMENT, "ada")
    assert done.returncode == 0 and done.stdout == "grace: 4.75 points, as ada.\n", done.stderr
    with Gradebook(f"sqlite:///{room.root / 'gradebook.db'}") as gradebook:
        scores = {one.student_id: one.score for one in gradebook.assignment_submissions(ASSIGNMENT)}
        comment = gradebook.find_comment("double", NOTEBOOK, ASSIGNMENT, "grace").manual_comment
    assert scores["ada"] == scores["grace"] == 4.75 and scores["dan"] == 3
    assert comment == "nearly"
    alone = run(room.root, "-m", "nbseal", "share", ASSIGNMENT, "dan")
    assert alone.returncode == 1 and "dan handed in numbers with nobody" in alone.stderr


def test_each_of_a_team_has_the_score_and_the_feedback(room):
    assert room.scores("ada") == room.scores("grace")
    done = room.nbgrader("generate_feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    for who in ("ada", "grace"):
        assert "You added 2." in (room.folder(who, "feedback") / "tasks.html").read_text()
