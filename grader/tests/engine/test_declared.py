"""Declared tasks when graded: what `check` asks is sealed, judged elsewhere, and named."""

import json

import pytest
from nbseal.checks import declared
from nbseal.engine.engine import Engine, EngineError
from nbseal.records import Limits, Work
from support.engine_tools import code, make_course, notebook, seen

TASK_FILE = '''"""total, 1 point."""
task = Task("total")
f = task.function()
f.look("three numbers", [1, 2, 4])
f.case("drawn numbers", lambda: [sample_ids(50, 6, seed=1)])

# %% mistakes
mistake("You left the last number out.", returns="sum(numbers[:-1])")
mistake("You counted the numbers. Add them.", returns="len(numbers)")
'''
BY_HAND = TASK_FILE.replace('Task("total")', 'Task("total", by_hand=["math.fsum"])')
REFERENCE = "def total(numbers):\n    return sum(numbers)"
CELL = 'check("total")\n### BEGIN HIDDEN TESTS\ncheck("total", hidden=True)\n### END HIDDEN TESTS'


def compiled(text):
    """tasks.json of one task whose reference is REFERENCE."""

    def run(source):
        names: dict = {}
        exec(source, names)
        return names

    task = declared.load(text)
    want = declared.wanted(task, run(REFERENCE))
    known = [
        declared.known_by(task, want, one.sentence, one.see, run(one.edit(REFERENCE)))
        for one in declared.load_mistakes(text)
    ]
    source = declared.sections(text)["probes"]
    entry = declared.packed(task, source, want, known, "Task 1", 1)
    return {"format": declared.FORMAT, "hash": "", "assignment": "sums", "tasks": {"total": entry}}


def solved(answer, *more):
    return notebook(
        "from utils import *",
        code(answer, "total", solution=True),
        code(CELL, "total_test", test=True),
        *more,
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("course"))
    with Engine(seen(course), workers=1, limits=Limits(cell_seconds=5)) as engine:
        for name, text in ("n", TASK_FILE), ("by hand", BY_HAND):
            folder = course / "solutions" / name
            folder.mkdir(parents=True)
            (folder / "tasks.json").write_text(json.dumps(compiled(text)))
            engine.prepare(solved(REFERENCE), solved(REFERENCE), name=name, folder=folder)
        yield engine


def graded(engine, answer, name="n"):
    [verdict] = engine.submit(Work("ada", name, solved(answer))).result(60).verdicts
    return verdict


def test_right_answers_of_any_form_pass(engine):
    for answer in (
        REFERENCE,
        "def total(numbers):\n    out = 0\n    for n in numbers: out += n\n    return out",
    ):
        assert graded(engine, answer).passed


def test_a_mistake_is_named_once_by_its_visible_answers(engine):
    verdict = graded(engine, "def total(numbers):\n    return sum(numbers[:len(numbers) - 1])")
    assert not verdict.passed
    assert [check.mistake for check in verdict.failed][:2] == [
        "You left the last number out.",
        None,
    ]
    assert verdict.failed[0].reason == "called    total([1, 2, 4])\nexpected  7\ngot       3"
    assert [check.hidden for check in verdict.checks].count(True) == 1
    assert all(not check.reason for check in verdict.checks if check.hidden)


def test_who_answers_from_tasks_json_fails_where_inputs_are_drawn_again(engine):
    """A parrot: right on all that students can know, and without points."""
    parrot = f"""
ANSWERS = {{(1, 2, 4): 7}}
def total(numbers):
    from nbseal import checks
    if (key := tuple(map(int, numbers))) not in ANSWERS:
        before = checks.current_key()
        checks.set_key({declared.PUBLIC!r})
        drawn = tuple(map(int, checks.sample_ids(50, 6, seed=1)))
        checks.set_key(before)
        ANSWERS[drawn] = sum(drawn)
    return ANSWERS.get(key, 0)
"""
    verdict = graded(engine, parrot)
    assert [check.hidden for check in verdict.failed] == [True]


@pytest.mark.parametrize(
    "replaced",
    [
        "def check(*_, **__): pass\nimport utils, nbseal.checks\nutils.check = nbseal.checks.check = check",
        "import nbseal.checks.declared as d\nd.ask = lambda *_, **__: []\nd.load = lambda *_: None",
        "import json\nopen('tasks.json', 'w').write(json.dumps({'format': 1, 'tasks': {}}))",
    ],
)
def test_who_replaces_what_asks_gains_nothing(engine, replaced):
    assert not graded(engine, f"def total(numbers):\n    return 0\n{replaced}").passed
    assert graded(engine, f"{REFERENCE}\n{replaced}").passed


def test_an_open_task_and_a_task_that_raises_fail_alone(engine):
    verdict = graded(engine, "raise NotImplementedError('write it')")
    assert not verdict.passed and "NameError" in verdict.failed[0].reason
    verdict = graded(engine, "def total(numbers):\n    return numbers.total")
    assert "AttributeError" in verdict.failed[0].reason


def test_a_loop_without_an_end_is_ended(engine):
    assert not graded(engine, "def total(numbers):\n    while True: pass").passed


def test_what_is_to_be_written_by_hand_is_watched(engine):
    assert graded(engine, REFERENCE, "by hand").passed
    ready_made = "import math\ndef total(numbers):\n    return int(math.fsum(numbers))"
    verdict = graded(engine, ready_made, "by hand")
    assert not verdict.passed and "fsum" in str(verdict.failed)
    assert graded(engine, ready_made).passed, "where the task does not ask for it, it is right"


def test_each_cell_draws_with_a_key_of_its_own(engine):
    from nbseal.cells.sealing import key_of

    assert len({key_of("run", "a"), key_of("run", "b"), key_of("other", "a")}) == 3


@pytest.mark.parametrize(
    "cell, said",
    [
        ("x = 1\ncheck('total')", "does something else, too"),
        ("check('sum')", "there is no task 'sum'"),
        ("check('total', 1)", "does something else, too"),
        ("check('total', hidden=x)", "takes the name of a task"),
    ],
)
def test_a_cell_that_cannot_be_sealed_is_refused_with_its_line(engine, tmp_path, cell, said):
    (tmp_path / "tasks.json").write_text(json.dumps(compiled(TASK_FILE)))
    source = notebook("from utils import *", REFERENCE, code(cell, "total_test", test=True))
    with pytest.raises(EngineError, match=said):
        engine.prepare(source, source, name="refused", folder=tmp_path)


def test_a_check_of_the_course_s_own_is_a_function_like_others(engine, tmp_path):
    (tmp_path / "tasks.json").write_text(json.dumps(compiled(TASK_FILE)))
    own = "def check(name):\n    assert total([1, 2]) == 3"
    source = notebook(own, REFERENCE, code("check('total')", "total_test", test=True))
    prepared = engine.prepare(source, source, name="own", folder=tmp_path)
    assert not prepared.sealed
