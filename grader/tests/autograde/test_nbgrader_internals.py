"""Each thing that this program uses of nbgrader and nbconvert without their having promised it:
whoever upgrades them learns here what has changed."""

import inspect
from pathlib import Path

import nbgrader.api
import pytest
import sqlalchemy
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import ClearOutputPreprocessor
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.apps import AutogradeApp
from nbgrader.converters import Autograde, BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import MetadataValidator, SchemaTooOldError
from nbgrader.preprocessors import AssignLatePenalties, ClearHiddenTests
from nbseal import nbgrader_internals as internals
from support.engine_tools import code
from traitlets.config import Config


@pytest.fixture
def converter(tmp_path):
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    coursedir = CourseDirectory(config=config)
    coursedir.assignment_id = "ps1"
    for step, text in (("submitted", "1"), ("autograded", "2")):
        folder = tmp_path / step / "ada" / "ps1"
        folder.mkdir(parents=True)
        (folder / "tasks.ipynb").write_text(text)
    converter = Autograde(coursedir=coursedir)
    converter.exporter = NotebookExporter(parent=converter)
    return converter


def test_names_and_folders_are_in_a_path(converter, tmp_path):
    handed_in = internals.source_of(converter, "ps1", "ada")
    assert handed_in == tmp_path / "submitted" / "ada" / "ps1"
    assert internals.results_of(converter, "ps1", "ada") == tmp_path / "autograded" / "ada" / "ps1"
    names = internals.names_of(converter, str(handed_in / "tasks.ipynb"))
    assert (names["student"], names["assignment"], names["notebook"]) == ("ada", "ps1", "tasks")


def test_nbgraders_methods_take_what_belongs_to_a_submission_from_the_view(converter, tmp_path):
    called, elsewhere = [], tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "made.txt").write_text("")
    converter.pre_convert_hook = lambda **about: called.append(about["notebooks"])
    converter.post_convert_hook = lambda **about: called.append(about["notebooks"])
    one = internals.OneSubmission(converter, ["submitted/ada/ps1/tasks.ipynb"], elsewhere)
    one.before(), one.after(), one.set_permissions("ps1", "ada")
    assert called == [["submitted/ada/ps1/tasks.ipynb"]] * 2 and converter.notebooks == []
    assert (elsewhere / "made.txt").stat().st_mode & 0o777 == 0o444
    assert (tmp_path / "autograded" / "ada" / "ps1" / "tasks.ipynb").stat().st_mode & 0o200


def test_what_is_graded_again_is_nbgraders_to_say(converter, tmp_path):
    one = internals.OneSubmission(converter, ["submitted/ada/ps1/tasks.ipynb"])
    assert one.is_to_be_graded("ps1", "emmy") and not one.is_to_be_graded("ps1", "ada")
    converter.force = True
    assert one.is_to_be_graded("ps1", "ada")
    assert not internals.results_of(converter, "ps1", "ada").exists()


def test_no_method_that_the_view_lends_its_name_to_calls_super(converter):
    """They would meet a `self` that is no converter."""
    lent = ("init_destination", "run_pre_convert_hook", "run_post_convert_hook", "set_permissions")
    for name in lent:
        assert "super(" not in inspect.getsource(getattr(BaseConverter, name))
        assert getattr(Autograde, name) is getattr(BaseConverter, name)


def test_a_time_that_is_none_is_met_as_an_accident(converter, tmp_path):
    for step in ("submitted", "autograded"):
        (tmp_path / step / "ada" / "ps1" / "timestamp.txt").write_text("around noon")
    with pytest.raises(internals.NotATime):
        internals.timestamp_of(converter.coursedir, tmp_path / "submitted" / "ada" / "ps1")
    with pytest.raises(internals.NotATime):
        internals.OneSubmission(converter, ["tasks.ipynb"]).is_to_be_graded("ps1", "ada")
    assert internals.timestamp_of(converter.coursedir, tmp_path) is None


def test_an_autograder_says_which_of_its_two_readings_it_is_at(converter):
    assert internals.is_sanitizing(converter) and converter._sanitizing
    converter._sanitizing = False
    assert not internals.is_sanitizing(converter)
    assert "_sanitizing" in inspect.getsource(Autograde.convert_single_notebook)


def test_preprocessors_and_resources_are_made_as_nbconvert_makes_them(converter):
    name = "nbconvert.preprocessors.ClearOutputPreprocessor"
    for configured in (name, ClearOutputPreprocessor):
        made = internals.preprocessor_of(converter.exporter, configured)
        assert isinstance(made, ClearOutputPreprocessor) and made.parent is converter.exporter
        assert internals.course_of(made) is converter.coursedir
    resources = internals.resources_of(converter.exporter, {"mine": 1, "metadata": {"name": "x"}})
    assert resources["mine"] == 1 and resources["metadata"]["name"] == "x"
    assert resources["output_extension"] == ".ipynb"


def test_hidden_tests_are_cut_out_and_an_open_end_is_an_error():
    cell = new_code_cell("a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc")
    internals.remove_hidden_tests(ClearHiddenTests(), cell)
    assert cell.source == "a\nc"
    with pytest.raises(RuntimeError):
        internals.remove_hidden_tests(
            ClearHiddenTests(), new_code_cell("a\n### BEGIN HIDDEN TESTS\nb")
        )


def test_a_late_penalty_has_nbgraders_bounds():
    class Notebook:
        score = 4

    check = AssignLatePenalties()
    assert [internals.checked_penalty(check, Notebook, value) for value in (-1, 3, 9)] == [0, 3, 4]


def test_marks_are_checked_as_nbgrader_checks_them():
    """By the compiled schema first, and by nbgrader's own rules behind it."""
    ours, theirs = internals.CompiledValidator(), MetadataValidator()
    good = code("t()", "t", test=True)
    for spoil in (
        {},
        {"points": "many"},
        {"grade": "yes"},
        {"schema_version": 1},
        {"grade_id": ""},
        {"extra": 1},
    ):
        nb = new_notebook(cells=[good])
        nb.cells[0].metadata["nbgrader"] = good.metadata["nbgrader"] | spoil
        said = []
        for validator in (ours, theirs):
            try:
                validator.validate_nb(nb)
                said.append(None)
            except Exception as error:
                said.append((type(error), str(error).splitlines()[0]))
        assert said[0] == said[1], spoil
    with pytest.raises(SchemaTooOldError):
        nb.cells[0].metadata["nbgrader"] = good.metadata["nbgrader"] | {"schema_version": 1}
        ours.validate_nb(nb)


def test_a_source_notebook_lists_its_cells():
    relations = sqlalchemy.inspect(nbgrader.api.Notebook).relationships
    listed = relations["_base_cells"].mapper.class_
    for kind in (nbgrader.api.GradeCell, nbgrader.api.SolutionCell, nbgrader.api.TaskCell):
        assert issubclass(kind, listed)
    row = nbgrader.api.Notebook(name="tasks")
    assert internals.base_cells(row) == []


def test_the_application_starts_without_converting(monkeypatch, tmp_path):
    """nbgrader's own start would make a converter of its own class, and convert."""
    monkeypatch.chdir(tmp_path)
    app = AutogradeApp()
    app.initialize([])
    internals.start_application(app)
    assert "converter" in inspect.getsource(AutogradeApp.start)


def test_the_version_of_the_tables_is_asked_for_once(monkeypatch):
    asked = []

    def ask():
        asked.append(1)
        return "version"

    monkeypatch.setattr(nbgrader.api, "get_alembic_version", ask)
    for _ in range(2):
        with internals.tables_of_one_version():
            assert [nbgrader.api.get_alembic_version() for _ in range(3)] == ["version"] * 3
        assert nbgrader.api.get_alembic_version is ask
    assert asked == [1]
    assert "get_alembic_version()" in inspect.getsource(nbgrader.api.Gradebook.__init__)


def test_nothing_else_in_the_package_touches_what_was_not_promised():
    package = Path(internals.__file__).parent
    private = (
        "._base_cells",
        "._sanitizing",
        "._format_dest",
        "._format_source",
        "._preprocessors",
    )
    private += ("._init_resources", "._remove_hidden", "._check_late", ".parent.parent")
    for path in package.rglob("*.py"):
        if path != Path(internals.__file__):
            text = path.read_text()
            assert not [name for name in private if name in text], path
