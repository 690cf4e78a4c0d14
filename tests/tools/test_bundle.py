"""The student bundle: what is in it, what never is, and where it is published."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbseal import checks
from nbseal.authoring.release import SECRETS, release
from nbseal.course import Course
from nbseal.errors import CourseError

from tools import publish as publishing
from tools.bundle import bundle
from tools.publish import publish
from tools.stamp import stamp


@pytest.fixture(autouse=True)
def who(monkeypatch):
    """git wants to know who commits, also on a machine where nobody has said so."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Instructor")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "instructor@example.org")


def git(*arguments, cwd):
    return subprocess.run(
        ["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout.strip()


def settings(course, **values):
    """Change course.toml, and make the notebooks follow."""
    path = course.root / "course.toml"
    lines = [
        next(
            (f'{key} = "{value}"' for key, value in values.items() if line.startswith(f"{key} =")),
            line,
        )
        for line in path.read_text().splitlines()
    ]
    path.write_text("\n".join(lines))
    changed = Course.at(course.root)
    stamp(changed)
    release(changed, "01_tiny")
    return changed


@pytest.fixture
def ready(tiny):
    """The small course, released."""
    release(tiny, "01_tiny")
    return tiny


@pytest.fixture
def remote(tmp_path):
    git("init", "--quiet", "--bare", "remote.git", cwd=tmp_path)
    return tmp_path / "remote.git"


@pytest.fixture
def publishable(ready, remote):
    return settings(ready, repository=remote)


def files(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


CHECKS = Path(checks.__file__).parent
EXPECTED = [
    "README.md",
    *sorted(f"checks/{path.relative_to(CHECKS)}" for path in CHECKS.rglob("*.py")),
    "data/names.sha256",
    "data/names.txt",
    "exercises/01_tiny/tiny.ipynb",
    "lectures/01_tiny.ipynb",
    "requirements.txt",
    "utils.py",
]


def test_students_get_what_they_need_and_nothing_else(ready, tmp_path):
    (ready.root / "data" / "make_names.py").write_text("secret = 1")
    (ready.root / "lectures" / ".ipynb_checkpoints").mkdir()
    (ready.root / "lectures" / ".ipynb_checkpoints" / "old.ipynb").write_text("old")
    folder, archive = bundle(ready, tmp_path / "dist")
    assert files(folder) == EXPECTED
    with zipfile.ZipFile(archive) as packed:
        assert sorted(packed.namelist()) == [f"tiny-course/{name}" for name in EXPECTED]
        assert all(
            packed.read(f"tiny-course/{name}") == (folder / name).read_bytes() for name in EXPECTED
        )
    text = b"".join((folder / name).read_bytes() for name in EXPECTED)
    assert not any(secret.encode() in text for secret in (*SECRETS, "two times a secret"))


def test_equal_courses_make_equal_zips_and_leave_nothing_else(ready, tmp_path):
    first = bundle(ready, tmp_path / "dist")[1].read_bytes()
    assert bundle(ready, tmp_path / "dist")[1].read_bytes() == first
    assert sorted(path.name for path in (tmp_path / "dist").iterdir()) == [
        "tiny-course",
        "tiny-course.zip",
    ]


def test_the_real_bundle_holds_no_answer(real, tmp_path):
    folder, _ = bundle(real, tmp_path / "dist")
    held_out = set((real.solutions / "held_out_names.txt").read_text().split())
    assert held_out.isdisjoint((folder / "data" / "names.txt").read_text().split())
    assert not [
        path
        for path in folder.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in SECRETS)
    ]
    assert {path.parent.name for path in (folder / "exercises").glob("*/*.ipynb")} == set(
        real.assignments()
    )


@pytest.mark.parametrize("named", ["tasks", "tasks/01_tiny", "tasks/01_tiny/twice.py"])
def test_task_files_are_never_given_out(ready, tmp_path, named):
    """By themselves they are not; a course that lists them as its own is refused."""
    folder = ready.root / "tasks" / "01_tiny"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "twice.py").write_text(
        'task = Task("twice")\n# %% mistakes\nmistake("a", returns="1")'
    )
    (folder / "graded.json").write_text("{}")
    given, _ = bundle(ready, tmp_path / "dist")
    assert not [
        path for path in given.rglob("*") if path.name in ("tasks", "twice.py", "graded.json")
    ]
    config = ready.root / "nbgrader_config.py"
    config.write_text(
        config.read_text() + f"\nc.SealedExecute.course_files = ['utils.py', '{named}']\n"
    )
    with pytest.raises(CourseError, match="course_files .* names 'tasks.*no submission may read"):
        bundle(Course.at(ready.root), tmp_path / "other")
    assert not files(tmp_path / "other")


def spoil_lecture(course):
    path = course.root / "lectures" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(
        nbformat.v4.new_code_cell("### BEGIN SOLUTION\n42\n### END SOLUTION", id="oops")
    )
    nbformat.write(notebook, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil, complaint",
    [
        (
            spoil_lecture,
            "lectures/01_tiny.ipynb would show students an answer: it contains 'BEGIN SOLUTION'",
        ),
        (
            lambda course: shutil.copy(
                course.source_notebook("01_tiny"), course.released_notebook("01_tiny")
            ),
            "exercises/01_tiny is not what solutions/ makes today: run `make release`",
        ),
        (
            lambda course: (course.exercises / "01_tiny").rename(course.exercises / "00_old"),
            "exercises/0",
        ),
        (
            lambda course: (course.root / "course.toml").write_text(
                (course.root / "course.toml").read_text().replace('"v1"', '"v2"')
            ),
            "does not have the setup cell",
        ),
        (lambda course: (course.root / "utils.py").unlink(), "has no utils.py"),
        (
            lambda course: (course.root / "data" / "notes.txt").write_text(
                "### BEGIN HIDDEN TESTS"
            ),
            "data/notes.txt would show",
        ),
    ],
)
def test_what_must_not_be_given_out_stops_the_bundle_and_leaves_the_old_one(
    tool, ready, spoil, complaint
):
    folder, archive = bundle(ready, ready.root / "dist")
    before = archive.read_bytes()
    spoil(ready)
    done = tool("bundle")
    assert (
        done.returncode == 1
        and complaint in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    )
    assert archive.read_bytes() == before and files(folder) == EXPECTED
    assert len(list((ready.root / "dist").iterdir())) == 2


def test_publishing_commits_and_tags_the_bundle(publishable, remote):
    assert publish(publishable).startswith("Published v1 on branch main")
    assert git("ls-tree", "-r", "--name-only", "v1", cwd=remote).splitlines() == EXPECTED
    assert git("rev-parse", "main", cwd=remote) == git("rev-parse", "v1", cwd=remote)


def test_publishing_the_same_again_changes_nothing(publishable, remote):
    publish(publishable)
    before = git("rev-parse", "main", cwd=remote)
    assert "already published" in publish(publishable)
    assert git("rev-parse", "main", cwd=remote) == before


def test_a_new_revision_follows_the_old_one_which_stays(publishable, remote):
    publish(publishable)
    (publishable.root / "data" / "names.txt").write_text("zoe\n")
    (publishable.root / "utils.py").write_text("expect = None\n")
    publish(settings(publishable, revision="v2"))
    assert git("log", "--format=%s", "main", cwd=remote).splitlines() == [
        "Tiny course, v2",
        "Tiny course, v1",
    ]
    assert git("show", "v2:data/names.txt", cwd=remote) == "zoe"
    assert git("show", "v1:data/names.txt", cwd=remote).startswith("ada")


def test_a_published_revision_is_never_moved(publishable, remote):
    publish(publishable)
    before = git("rev-parse", "v1", cwd=remote)
    (publishable.root / "data" / "names.txt").write_text("zoe\n")
    with pytest.raises(
        CourseError, match="v1 is already published .* with other contents: choose a new `revision`"
    ):
        publish(publishable)
    assert git("rev-parse", "v1", cwd=remote) == before == git("rev-parse", "main", cwd=remote)


def test_the_instructors_checkout_is_not_touched(publishable, remote):
    git("init", "--quiet", cwd=publishable.root)
    git("add", "--all", cwd=publishable.root)
    git("commit", "--quiet", "-m", "mine", cwd=publishable.root)
    (publishable.root / "unsaved.txt").write_text("unsaved")
    before = [
        git(*what, cwd=publishable.root)
        for what in (["status", "--porcelain"], ["show-ref"], ["stash", "list"])
    ]
    publish(publishable)
    assert [
        git(*what, cwd=publishable.root)
        for what in (["status", "--porcelain"], ["show-ref"], ["stash", "list"])
    ] == before


def test_a_branch_beside_others_in_a_repository_that_is_in_use(publishable, remote, tmp_path):
    publish(publishable)
    student = settings(publishable, branch="students", revision="2026-autumn")
    publish(student)
    assert git("rev-list", "--count", "students", cwd=remote) == "1", (
        "a branch of its own, without the other's history"
    )
    assert git("rev-list", "--count", "main", cwd=remote) == "1"


def test_the_placeholder_is_not_published_to(ready, tool):
    done = tool("publish")
    assert done.returncode == 1 and "still holds a placeholder" in done.stderr


def test_a_repository_that_cannot_be_reached(ready, tmp_path):
    course = settings(ready, repository=tmp_path / "nowhere.git")
    with pytest.raises(CourseError, match="`git ls-remote` failed: .*nowhere.git"):
        publish(course)


def test_without_git(publishable, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CourseError, match="git is not installed"):
        publishing.git("--version", cwd=publishable.root)


def test_publishing_works_where_git_knows_nobody(publishable, remote, monkeypatch):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    # git may otherwise make up a name from the host's
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    assert publish(publishable).startswith("Published v1")
    assert "nobody@localhost" in git("log", "-1", "--format=%ae %ce", "main", cwd=remote)
