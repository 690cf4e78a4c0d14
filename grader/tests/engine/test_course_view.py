"""What a session sees of a course and of this host: the files that were named, the packages that
can be imported, and nothing else."""

import json
import os
import site
import sys
import types

import pytest
from nbseal.confine.packages import import_environment, packages_beside
from nbseal.course import Course
from nbseal.engine.pool import WorkerPool
from nbseal.errors import CourseError
from nbseal.records import CellOrder, Limits, Order
from nbseal.view import CourseView, course_view


def said(view: CourseView, *sources: str) -> list[str]:
    """What cells print in one session."""
    pool = WorkerPool()
    try:
        cells = tuple(CellOrder(index, source) for index, source in enumerate(sources))
        execution = pool.run(Order(cells, view, "key", Limits(cell_seconds=20)))
    finally:
        pool.close()
    assert execution.problem is None, execution.problem
    return [
        "".join(
            message["content"].get("text", "") or str(message["content"].get("evalue", ""))
            for message in json.loads(execution.ran[index].messages)
        )
        for index in range(len(sources))
    ]


@pytest.fixture
def course(tmp_path):
    """A course with secrets, beside packages that lie in the same folder."""
    root = tmp_path / "work" / "course"
    for folder in ("source/ps1", "submitted/eve/ps1", "data", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "source/ps1/secret.py").write_text("answer = 42\n")
    (root / "data/table.csv").write_text("1,2\n")
    (root / "helpers.py").write_text("def twice(x): return 2 * x\n")
    (root / "lib/deep.txt").write_text("deep\n")
    (root / "gradebook.db").write_text("scores\n")
    return root


def test_the_files_that_are_named_and_nothing_else(course):
    view = course_view(course, ["helpers.py", "data", "lib/deep.txt"])
    assert said(
        view,
        "from helpers import twice; print(twice(4))",
        "print(open('data/table.csv').read(), open('lib/deep.txt').read(), end='')",
        f"import os; print(sorted(os.listdir({str(course)!r})))",
        f"open({str(course / 'gradebook.db')!r})",
    ) == ["8\n", "1,2\n deep\n", "['data', 'helpers.py', 'lib']\n"] + [
        f"[Errno 2] No such file or directory: '{course / 'gradebook.db'}'"
    ]


@pytest.mark.parametrize(
    "name, problem",
    [
        ("no_such.py", "which does not exist"),
        ("/etc/passwd", "an absolute path"),
        ("../elsewhere", "leads outside"),
        (".", "leads outside"),
        ("link", "leads outside"),
        ("source", "no submission may read"),
    ],
)
def test_a_file_that_a_course_cannot_give_is_refused_in_one_sentence(course, name, problem):
    (course.parent / "elsewhere").touch()
    (course / "link").symlink_to("/etc")
    with pytest.raises(CourseError, match=problem) as refused:
        course_view(course, [name], [course / "source"])
    assert "\n" not in str(refused.value) and repr(os.path.normpath(name)) in str(refused.value)


PACKAGE = "def where(): return __file__\n"


def test_packages_outside_of_pythons_own_folders_can_be_imported(course, monkeypatch, tmp_path):
    """By PYTHONPATH, as an editable install's or a .pth file's folder is found, too - even where
    the course lies in that folder."""
    (course.parent / "beside_the_course.py").write_text(PACKAGE)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "a_package").mkdir(parents=True)
    (elsewhere / "a_package" / "__init__.py").write_text(PACKAGE)
    (elsewhere / "a_package" / "late.py").write_text("x = 1\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(course.parent), str(elsewhere)]))
    view = course_view(course)
    printed = said(
        view,
        "import beside_the_course, a_package.late; print(a_package.late.x)",
        f"open({str(course / 'source/ps1/secret.py')!r})",
        f"import os; print(os.path.exists({str(course / 'gradebook.db')!r}))",
        f"open({str(elsewhere / 'a_package' / 'late.py')!r}, 'w')",
    )
    assert printed[0] == "1\n" and "No such file" in printed[1] and printed[2] == "False\n"
    assert "Read-only" in printed[3] or "Permission" in printed[3]


def test_editable_installs_that_work_by_an_import_hook(monkeypatch, tmp_path):
    """As setuptools makes them for `pip install -e`: no folder of theirs is on the import path."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "one.py").touch()
    hook = types.ModuleType("__editable___mine_1_0_finder")
    hook.MAPPING = {"mine": str(tmp_path / "mine"), "one": str(tmp_path / "one")}
    finder = type("_EditableFinder", (), {"__module__": hook.__name__})
    monkeypatch.setitem(sys.modules, hook.__name__, hook)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert packages_beside((), str(tmp_path / "course"), ()) == (
        str(tmp_path / "mine"),
        str(tmp_path / "one.py"),
    )


def test_a_process_that_is_started_elsewhere_imports_from_the_same_places(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "lib", "/opt/lib"]))
    monkeypatch.setattr(site, "ENABLE_USER_SITE", True)
    monkeypatch.setattr(site, "USER_BASE", "/home/ada/.local")
    assert import_environment() == {
        "PYTHONPATH": f"{tmp_path / 'lib'}:/opt/lib",
        "PYTHONUSERBASE": "/home/ada/.local",
    }


def test_a_home_folder_on_the_import_path_is_not_shown_as_a_whole(tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / "package").mkdir(parents=True)
    (home / "package" / "__init__.py").touch()
    (home / "notes").mkdir()
    for name in ("module.py", "nbgrader_config.py", "letter.txt"):
        (home / name).touch()
    monkeypatch.setenv("HOME", str(home))
    assert packages_beside((str(home),), str(tmp_path / "course"), ()) == (
        str(home / "module.py"),
        str(home / "package"),
    )


def test_of_the_course_itself_only_what_lies_deeper_is_a_place_of_packages(course):
    secrets = (str(course / "source"),)
    path = (str(course), str(course / "lib"), str(course / "source/ps1"))
    assert packages_beside(path, str(course), secrets) == (str(course / "lib"),)


def test_task_files_are_given_to_nobody(course):
    """They hold every mistake as code, and right answers."""
    (course / "tasks" / "ps1").mkdir(parents=True)
    (course / "tasks" / "ps1" / "mean.py").write_text('task = Task("mean")\n')
    (course / "nbgrader_config.py").write_text(
        "import nbseal\nc = get_config()\nnbseal.configure(c, course_files=['tasks'])\n"
    )
    with pytest.raises(CourseError, match="names 'tasks', .* no submission may read"):
        Course.at(course).view
    (course / "tasks" / "ps1" / "mean.py").unlink()  # a folder of another course's own
    assert Course.at(course).view.files == ("tasks",)
