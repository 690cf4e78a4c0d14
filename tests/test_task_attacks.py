"""Submissions that try to pass the declared tasks of an exercise without solving them."""

import json
import shutil

import pytest
from nbseal.checks import check, declared
from nbseal.engine.engine import Engine
from nbseal.notebook import files, marks
from nbseal.records import Limits, Work

from tests.course import COURSE

ASSIGNMENT = "02_layer_norm"
FOLDER = COURSE.solutions / ASSIGNMENT
TASKS = list(declared.read(FOLDER / "tasks.json")["tasks"])

REPLACED = """
def check(*_, **__): pass
import utils, nbseal.checks
utils.check = nbseal.checks.check = nbseal.checks.declared.checking.check = check
"""
EDITED = """
import json
_content = json.load(open("tasks.json"))
for _name, _task in _content["tasks"].items():
    _task |= {"source": f"task = Task({_name!r})", "probes": {}, "mistakes": []}
json.dump(_content, open("tasks.json", "w"))
"""
# Right wherever tasks.json says what is asked, and without an answer to anything else.
PARROT = """
def parrot(name, right):
    from pathlib import Path
    from nbseal.checks import declared
    learning, known = [True], set()
    def seen(*given):
        key = repr([value.tolist() for value in given if isinstance(value, torch.Tensor)])
        if learning[0]:
            known.add(key)
        elif key not in known:
            raise ValueError("never seen")
    if isinstance(right, type):
        class found(right):
            def forward(self, x):
                seen(x)
                return super().forward(x)
    else:
        def found(*given):
            seen(*given)
            return right(*given)
    globals()[name] = found  # other functions of the cell call it, too
    task = declared.read_task(Path("tasks.json"), name).task()
    declared.ask(task, globals())
    learning[0] = False
    return found
"""


def handed_in(solve=None, first=""):
    """A notebook: what is released, or with cells that `solve` makes of name and solution."""
    [path] = COURSE.source_notebooks(ASSIGNMENT)
    source = files.read(path)
    solutions = {marks.grade_id(cell): cell.source for cell in source.cells}
    notebook = files.read(COURSE.released_notebook(ASSIGNMENT)) if solve is None else source
    names = [name for name in solutions if name in TASKS]
    for cell in notebook.cells:
        name = marks.grade_id(cell)
        if name in TASKS and marks.is_solution(cell):
            before = first if name == names[0] else ""
            cell.source = before + (solve(name, solutions[name]) if solve else cell.source)
    return notebook


@pytest.fixture(scope="module")
def grade():
    """Returns the verdict on each task of a notebook."""
    [path] = COURSE.source_notebooks(ASSIGNMENT)
    source = files.read(path)
    tests = [marks.grade_id(cell) for cell in source.cells if marks.is_test(cell)]
    with Engine(COURSE.view, workers=1, limits=Limits(cell_seconds=60)) as engine:
        prepared = engine.prepare(source, source, name="n", folder=FOLDER, self_test=False)

        def grade(notebook):
            # the locked cells as nbgrader puts them back
            locked = {marks.grade_id(cell): cell for cell in source.cells}
            notebook.cells = [
                locked[marks.grade_id(cell)] if marks.is_test(cell) else cell
                for cell in notebook.cells
            ]
            work = Work("ada", "n", notebook, prepared.answer_key.folder)
            verdicts = engine.submit(work).result(300).verdicts
            assert [one.grade_id for one in verdicts] == tests
            return verdicts

        yield grade


@pytest.mark.parametrize("attack", [REPLACED, EDITED])
def test_who_replaces_what_asks_gets_nothing(grade, attack):
    verdicts = grade(handed_in(first=attack))
    assert not any(one.passed for one in verdicts)


@pytest.mark.parametrize("attack", [REPLACED, EDITED])
def test_in_a_notebook_both_silence_every_check(tmp_path, monkeypatch, attack):
    """The attacks are armed."""
    import nbseal.checks

    import utils

    for place in (utils, nbseal.checks, nbseal.checks.declared.checking):
        monkeypatch.setattr(place, "check", place.check)
    shutil.copy(FOLDER / "tasks.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"check": check}
    exec(attack, names)
    for task in TASKS:
        exec(f"check({task!r})", names)


def test_a_parrot_is_right_on_all_that_is_visible_and_gets_nothing(grade):
    def parrot(name, solution):
        return f"{solution}\n{name} = parrot({name!r}, {name})"

    verdicts = grade(handed_in(parrot, PARROT))
    # a task that asks for inputs has no new ones: whoever knows some has solved it
    assert {one.grade_id for one in verdicts if one.passed} <= {
        "break_it_test",
        "break_it_all_test",
    }
    armed = {
        one.grade_id: [c.label for c in one.checks if not c.hidden and not c.ok] for one in verdicts
    }
    assert not any(armed.values()), armed


def test_every_task_draws_new_inputs():
    content = json.loads((FOLDER / "tasks.json").read_text(encoding="utf-8"))["tasks"]
    for name in TASKS:
        probes = declared.load(content[name]["source"]).probes
        assert any(probe.drawn and probe.core for probe in probes), name
