"""The checks as a folder: the same under each of its names, with one state for each copy."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbseal
import pytest
from nbseal import checks
from nbseal.checks import inputs, places
from nbseal.inside.warming import private_checks

FOLDER = Path(checks.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.fixture
def copied(tmp_path):
    """A student's folder with a copy."""
    shutil.copytree(FOLDER, tmp_path / "my course" / "checks")
    return tmp_path / "my course"


def test_a_copy_stands_alone(copied):
    script = (
        f"import sys; sys.path.insert(0, {str(copied)!r}); sys.modules['nbseal'] = None\n"
        f"from checks import *; import checks.{', checks.'.join(NAMES)}\n"
        f"expect('one', sample(1, seed=1), sample(1, seed=1)); print(checks.__file__)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], cwd="/", capture_output=True, text=True, check=True
    )
    assert said.stdout == f"✓ one\n{copied / 'checks' / '__init__.py'}\n"


def test_no_name_of_a_module_hides_a_function():
    assert not set(NAMES) & {*checks.__all__, "judge", "snapshot", "distance"}
    assert all(callable(getattr(checks, name)) for name in checks.__all__)


def test_the_private_copy_shares_nothing_and_no_import_reaches_it():
    def loaded():
        return {name: module for name, module in sys.modules.items() if "checks" in name}

    before = loaded()
    private = private_checks()
    assert loaded() == before and nbseal.checks is checks
    for name in NAMES:
        copy, public = vars(getattr(private, name)), vars(getattr(checks, name))
        ours = [key for key in copy if _is_ours(copy[key])]
        assert ours and not [key for key in ours if copy[key] is public[key]]
    private.set_key("secret")
    private.draw_with("python")
    assert checks.current_key() == "notebook" and inputs._library_of_inputs is None
    assert private.current_key() == "secret" and isinstance(private.sample(2, seed=1), list)


def _is_ours(value) -> bool:
    return str(getattr(value, "__module__", "")).startswith("nbseal.checks")


def test_each_of_its_files_is_the_course_s_in_every_copy(copied):
    (copied / "utils.py").touch()
    (copied / "exercise").mkdir()
    (copied / "exercise" / "helper.py").touch()
    for folder in FOLDER, copied / "checks":
        for name in NAMES:
            code = compile("def f(): pass", str(folder / f"{name}.py"), "exec")
            assert not places.is_notebooks(code, {})
            assert places.is_own_file(code.co_filename) == (folder == FOLDER)
    beside, theirs = (
        compile("", str(copied / name), "exec") for name in ("utils.py", "exercise/helper.py")
    )
    assert not places.is_notebooks(beside, {}) and places.is_notebooks(theirs, {})
