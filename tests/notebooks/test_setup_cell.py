"""The setup cell, run by a real kernel in the places where students open a notebook."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbseal.authoring.release import release
from nbseal.course import Course

from tools import settings
from tools.publish import publish
from tools.stamp import setup_source, stamp


@pytest.fixture
def course(tiny, tmp_path, monkeypatch) -> Course:
    """The small course, its bundle published as v1 to a repository on this machine."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Instructor")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "instructor@example.org")
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "remote.git"], check=True)
    path = tiny.root / "course.toml"
    path.write_text(
        path.read_text().replace(settings.of(tiny).repository, str(tmp_path / "remote.git"))
    )
    course = Course.at(tiny.root)
    stamp(course)
    release(course, "01_tiny")
    publish(course)
    # From here on only git can bring the course's files into a kernel.
    monkeypatch.setenv("PYTHONPATH", "")
    return course


@pytest.fixture
def alone(course, tmp_path) -> Path:
    """The released notebook, alone in an empty folder that has nothing above it."""
    folder = tmp_path / "my downloads"
    folder.mkdir()
    return Path(shutil.copy(course.released_notebook("01_tiny"), folder))


def run(
    path: Path, before: str = "pass", after: str = "import utils; print(utils.__file__)"
) -> str:
    """Run a notebook's setup cell, with one cell before and one after it; what the two last ones
    printed."""
    source = nbformat.read(path, as_version=4).cells[1].source
    cells = [nbformat.v4.new_code_cell(text) for text in (before, source, after)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    assert not [
        output for cell in cells for output in cell.outputs if output.get("name") == "stderr"
    ]
    return "".join(output.text for cell in cells[1:] for output in cell.outputs)


def files(folder: Path) -> list[str]:
    # Python's own, where it may write
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def test_in_the_course_it_finds_the_files_upward(course):
    printed = run(course.root / "lectures" / "01_tiny.ipynb")
    assert printed == f"Found the course's files in ..\n{course.root / 'utils.py'}\n"
    printed = run(course.released_notebook("01_tiny"))
    assert printed == f"Found the course's files in ../..\n{course.root / 'utils.py'}\n"
    assert "course-files-v1" not in files(course.released_notebook("01_tiny").parent)


def test_where_nbgrader_grades_it_finds_the_files_upward(course):
    folder = course.root / "autograded" / "ada" / "01_tiny"
    folder.mkdir(parents=True)
    printed = run(Path(shutil.copy(course.source_notebook("01_tiny"), folder)))
    assert printed == f"Found the course's files in ../../..\n{course.root / 'utils.py'}\n"


def test_alone_it_fetches_the_published_bundle_once(course, alone):
    fetched = alone.parent / "course-files-v1"
    assert run(alone) == f"Fetched the course's files in course-files-v1\n{fetched / 'utils.py'}\n"
    assert files(alone.parent) == ["course-files-v1", "tiny.ipynb"]
    assert files(fetched) == [
        ".git",
        "README.md",
        "checks",
        "data",
        "exercises",
        "lectures",
        "requirements.txt",
        "utils.py",
    ]
    shutil.rmtree(settings.of(course).repository)  # no network any more
    assert run(alone) == f"Found the course's files in course-files-v1\n{fetched / 'utils.py'}\n"


def test_the_whole_notebook_runs_alone_in_colab(course, alone, tmp_path, monkeypatch):
    """With google.colab, and with a module called utils already imported, as Colab's kernels have
    them."""
    stubs = tmp_path / "site"
    (stubs / "google" / "colab").mkdir(parents=True)
    (stubs / "google" / "colab" / "__init__.py").touch()
    (stubs / "utils.py").write_text("stray = True")
    monkeypatch.setenv("PYTHONPATH", str(stubs))
    notebook = nbformat.read(alone, as_version=4)
    notebook.cells.insert(
        0, nbformat.v4.new_code_cell("import google.colab, utils; assert utils.stray")
    )
    for cell in notebook.cells:
        cell.source = cell.source.replace(
            'raise NotImplementedError("TODO: write your solution here")', "return x * x"
        )
    notebook.cells[-3].source = "def double(x):\n    return 2 * x\n" + notebook.cells[-3].source
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(alone.parent)}}
    ).execute()
    printed = "".join(
        output.text
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    assert (
        printed
        == "Fetched the course's files in course-files-v1\n✓ two times one\n✓ three times three\n"
    )


def test_running_the_cell_again_keeps_the_module_that_is_in_use(course, alone):
    again = setup_source(course)
    assert "same: True" in run(
        alone,
        after=f"import utils\nfirst = utils\n{again}\nimport utils\nprint('same:', utils is first)",
    )


def test_a_strange_folder_with_a_utils_and_data_of_its_own(course, alone):
    (alone.parent / "utils.py").write_text("theirs = True")
    (alone.parent / "data").mkdir()
    (alone.parent / "data" / "table.csv").touch()
    assert run(alone, before="import utils; assert utils.theirs").startswith(
        "Fetched the course's files"
    )
    assert run(alone).endswith("course-files-v1/utils.py\n")


def test_what_a_download_that_was_cut_off_left_behind_is_cleared(course, alone):
    part = alone.parent / "course-files-v1.part"
    (part / ".git").mkdir(parents=True)
    (part / ".git" / "index.lock").touch()
    assert run(alone).startswith("Fetched the course's files in course-files-v1\n")
    assert files(alone.parent) == ["course-files-v1", "tiny.ipynb"]


def failure(path: Path) -> str:
    with pytest.raises(CellExecutionError) as error:
        run(path)
    assert error.value.ename == "RuntimeError"
    assert (
        "During handling" not in error.value.traceback
        and "direct cause" not in error.value.traceback
    )
    assert files(path.parent) == [path.name], "nothing is left behind"
    return error.value.evalue


WHAT_TO_DO = (
    "check the network and run this cell again, or open this notebook inside the course's folder."
)


def test_without_a_network_one_sentence_says_what_to_do(course, alone):
    shutil.rmtree(settings.of(course).repository)
    said = failure(alone)
    assert said.startswith(
        f"Could not fetch the course's files from {settings.of(course).repository} (fatal: "
    )
    assert said.endswith(WHAT_TO_DO) and "\n" not in said


def test_a_revision_that_was_not_published(course, alone):
    notebook = nbformat.read(alone, as_version=4)
    notebook.cells[1].source = notebook.cells[1].source.replace('"v1"', '"v7"')
    nbformat.write(notebook, alone)
    assert "Remote branch v7 not found" in failure(alone)


def test_without_git_one_sentence_says_what_to_do(course, alone, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "python3"):
        os.symlink(shutil.which(tool), tmp_path / "bin" / tool)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    said = failure(alone)
    assert "git: not found" in said and said.endswith(WHAT_TO_DO)
