"""`nbseal move-gradebook`: nothing of a gradebook is lost on its way to another database and back."""

import shutil
from datetime import datetime, timedelta

import pytest
from nbgrader.api import Base, Gradebook
from nbseal.autograde.moving_command import move
from nbseal.errors import CourseError
from sqlalchemy import create_engine, select
from support.classroom import PATH

ASSIGNMENT, COURSE = "one", "a-course"


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A gradebook with something in every table, by hand and not; names that no ASCII has."""
    path = tmp_path_factory.mktemp("full") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", PATH)
        with Gradebook(f"sqlite:///{path}", COURSE) as gradebook:
            _fill(gradebook)
    return path


def _fill(gradebook):
    gradebook.add_assignment(ASSIGNMENT, duedate=datetime(2026, 3, 1, 23, 59))
    gradebook.add_notebook("nb", ASSIGNMENT)
    gradebook.add_grade_cell("test", "nb", ASSIGNMENT, max_score=2.5, cell_type="code")
    gradebook.add_solution_cell("answer", "nb", ASSIGNMENT)
    gradebook.add_task_cell("task", "nb", ASSIGNMENT, max_score=1, cell_type="markdown")
    gradebook.add_source_cell("test", "nb", ASSIGNMENT, cell_type="code", source="assert 1 # ☃")
    for who, name in (("ada", "Ada"), ("zoe", "Zoë"), ("absent", "Nobody")):
        gradebook.add_student(who, first_name=name, last_name="王", lms_user_id="4711")
    for who in ("ada", "zoe"):
        submission = gradebook.add_submission(ASSIGNMENT, who)
        submission.timestamp = datetime(2026, 3, 2, 8, 30, 12, 345678)
        submission.extension = timedelta(hours=36)
        submission.notebooks[0].late_submission_penalty = 0.25
        grade = gradebook.find_grade("test", "nb", ASSIGNMENT, who)
        grade.auto_score, grade.manual_score, grade.extra_credit = 1.5, 2.0, 0.5
        grade.needs_manual_grade = who == "zoe"
        comment = gradebook.find_comment("answer", "nb", ASSIGNMENT, who)
        comment.auto_comment, comment.manual_comment = "No response.", "Read §3, 'please' ☃"
    gradebook.db.commit()


@pytest.fixture
def old(full, tmp_path):
    shutil.copy(full, tmp_path / "gradebook.db")
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


@pytest.fixture(autouse=True)
def path(monkeypatch):
    monkeypatch.setenv("PATH", PATH)


def content(url):
    """Table -> its rows."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }
    engine.dispose()
    return found


def scores(url):
    with Gradebook(url, COURSE) as gradebook:
        return {one.student_id: one.score for one in gradebook.assignment_submissions(ASSIGNMENT)}


def test_there_and_back_again(old, server, tmp_path):
    before = content(old)
    assert all(before.values()), "each table has something to lose"
    rows = move(old, server, COURSE)
    assert content(server) == before and rows == {name: len(kept) for name, kept in before.items()}
    assert scores(server) == scores(old) == {"ada": 2.5, "zoe": 2.5}
    back = f"sqlite:///{tmp_path / 'back.db'}"
    move(server, back, COURSE)
    assert content(back) == before


def test_what_is_there_already_is_not_overwritten(old, full, tmp_path):
    shutil.copy(full, tmp_path / "other.db")
    before = content(f"sqlite:///{tmp_path / 'other.db'}")
    with pytest.raises(CourseError, match="is not empty: it has 3 rows in 'student'"):
        move(old, f"sqlite:///{tmp_path / 'other.db'}", COURSE)
    assert content(f"sqlite:///{tmp_path / 'other.db'}") == before


def test_what_the_other_database_refuses_leaves_nothing_behind(old, server):
    """SQLite keeps texts of any length; PostgreSQL holds nbgrader to what it says."""
    with Gradebook(old, COURSE) as gradebook:
        gradebook.find_student("zoe").email = "z" * 300
        gradebook.db.commit()
    with pytest.raises(CourseError, match=r"too long.*: nothing was moved"):
        move(old, server, COURSE)
    assert not content(server)["student"]
    with Gradebook(old, COURSE) as gradebook:
        gradebook.find_student("zoe").email = "z@example.org"
        gradebook.db.commit()
    move(old, server, COURSE)
    assert content(server) == content(old)


@pytest.mark.parametrize(
    "source, to, said",
    [
        ("sqlite:///nowhere.db", "sqlite:///new.db", "there is no gradebook sqlite:///nowhere.db"),
        (None, "new.db", "is no address of a database"),
    ],
)
def test_what_is_no_gradebook_is_one_sentence(old, tmp_path, monkeypatch, source, to, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match=said):
        move(source or old, to, COURSE)
    assert not (tmp_path / "nowhere.db").exists()


def test_the_command_says_what_it_moved(old, tiny, grading):
    shutil.copy(old.removeprefix("sqlite:///"), tiny.root / "gradebook.db")
    done = grading("move-gradebook", f"sqlite:///{tiny.root / 'other.db'}")
    assert done.returncode == 0, done.stderr
    assert "3 students, 1 assignments and 2 submissions" in done.stdout
    again = grading("move-gradebook", f"sqlite:///{tiny.root / 'other.db'}")
    assert again.returncode == 1 and "is not empty" in again.stderr
