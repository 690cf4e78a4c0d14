"""The engine as a whole: what it prepares, what it refuses, and that many submissions do not get
into each other's way."""

import os
import signal
import threading
import time

import pytest
from nbgrader.utils import determine_grade
from nbseal.engine.engine import Engine, EngineError
from nbseal.records import Limits, Work
from nbseal.view import course_view
from support.engine_tools import code, error_of, executed, make_course, notebook, seen, text_of
from support.one_engine import limited
from support.processes import named, process_named
from support.waiting import wait_until

DOUBLE = code("def double(x):\n    return 2 * x", "double", solution=True)
TEST = code(
    "### BEGIN HIDDEN TESTS\nx = sample(1, seed=1)[0]\nexpect('double', double(x), 2 * x)\n### END HIDDEN TESTS",
    "double_test",
    test=True,
)
SOURCE = notebook("from utils import *", DOUBLE, TEST)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def engine(course):
    with Engine(seen(course), workers=2, limits=Limits(cell_seconds=5)) as engine:
        engine.prepare(SOURCE, SOURCE, name="n")
        yield engine


def work(nb, student="ada", name="n"):
    return Work(student, name, nb)


def test_many_at_once_each_gets_its_own(engine):
    def submission(number):
        body = "return 2 * x" if number % 3 else f"return {-1 - number}"
        return notebook(
            "from utils import *", f"def double(x):\n    {body}", TEST, f"print({number})"
        )

    futures = [engine.submit(work(submission(number), f"student {number}")) for number in range(24)]
    for number, future in enumerate(futures):
        result = future.result(timeout=120)
        assert result.verdicts[0].passed is bool(number % 3)
        assert text_of(result.cells[3]) == f"{number}\n"


def test_a_test_binds_its_names_beside_those_of_a_student(engine):
    """`x` is a name of the test; a student's helper that is called so goes on being called."""
    helper = "def x(n):\n    return n + n\n\ndef double(n):\n    return x(n)"
    assert (
        engine.submit(work(notebook("from utils import *", helper, TEST)))
        .result(60)
        .verdicts[0]
        .passed
    )


def test_a_test_may_take_away_what_the_task_is_to_be_made_of(shared_engine):
    """nbgrader's own way to see that one function calls another."""
    calls = "expect('it calls double', raises(four_times, 3), 'NameError')"
    taken = code(f"kept = double\ndel double\n{calls}\ndouble = kept", "four_test", test=True)
    used = "def four_times(x):\n    return double(double(x))"
    source = notebook("from utils import *", DOUBLE, code(used, "four", solution=True), taken)
    with limited(shared_engine, Limits()) as engine:
        engine.prepare(source, source)
        assert engine.submit(work(source, name="")).result(60).verdicts[0].passed
        alone = "def four_times(x):\n    return 4 * x"
        other = notebook("from utils import *", DOUBLE, alone, taken)
        assert not engine.submit(work(other, name="")).result(60).verdicts[0].passed
        # and no name of a student's decides whether it does
        known = notebook("from utils import *", "kept = 0", DOUBLE, code(used), taken)
        assert engine.submit(work(known, name="")).result(60).verdicts[0].passed
        other = notebook("from utils import *", "kept = 0", DOUBLE, alone, taken)
        assert not engine.submit(work(other, name="")).result(60).verdicts[0].passed


def test_what_it_cost_is_measured(engine):
    result = engine.submit(
        work(notebook("x = bytearray(100 << 20)\nfor i in range(3 * 10**6): pass"))
    ).result()
    assert (
        0.02 < result.cpu_seconds < 10 and result.seconds > 0.02 and result.peak_memory > 100 << 20
    )


def test_a_notebook_that_was_not_prepared(engine):
    with pytest.raises(EngineError, match="'other' was not prepared"):
        engine.submit(work(SOURCE, name="other"))


def test_a_dead_answer_key_is_made_again_under_the_same_key(engine):
    prepared = engine._prepared["n"]
    os.kill(prepared.answer_key._process.pid, signal.SIGKILL)
    assert engine.submit(work(SOURCE)).result(timeout=60).verdicts[0].passed


def test_a_dead_nursery_takes_everything_along_and_everything_is_made_again(engine):
    assert engine.submit(work(SOURCE)).result(timeout=60).verdicts[0].passed
    os.kill(engine._zygote._process.pid, signal.SIGKILL)
    slow = notebook("from utils import *", "import time; time.sleep(0.5)", DOUBLE, TEST)
    assert all(
        future.result(timeout=60).verdicts[0].passed
        for future in [engine.submit(work(slow)) for _ in range(3)]
    )


def test_workers_that_died_while_they_waited_cost_no_submission_an_attempt(engine):
    """With the zygote all workers die: one that was at work, and those that a repetition takes."""
    for future in [engine.submit(work(SOURCE)) for _ in range(4)]:
        assert future.result(timeout=60).verdicts[0].passed
    waiting = list(engine._pool._idle.queue)
    assert waiting
    for worker in waiting:
        os.kill(worker.process.pid, signal.SIGKILL)
    result = kill_at_work(engine, f"{named('at_work')}import time; time.sleep(1.5)", DOUBLE)
    assert result.verdicts[0].passed and result.problem is None


def kill_at_work(engine, *cells):
    """Submit cells, and kill the process that one of them has called `at_work`."""
    graded = engine.submit(work(notebook("from utils import *", *cells, TEST)))
    wait_until(lambda: process_named("at_work"), "no cell is at work").kill()
    return graded.result(timeout=60)


def test_a_session_that_is_killed_from_outside_is_done_again(engine):
    """As the kernel does to the largest process when memory is short."""
    result = kill_at_work(engine, f"{named('at_work')}import time; time.sleep(1.5)", DOUBLE)
    assert result.verdicts[0].passed and result.problem is None


def test_a_test_s_process_that_is_killed_costs_that_test_alone(engine):
    """Who killed it only the session could say."""
    slow = (
        f"def double(x):\n    {named('at_work')}    import time; time.sleep(1.5)\n    return 2 * x"
    )
    result = kill_at_work(engine, slow)
    assert not result.verdicts[0].passed and result.problem is None and not result.repeated


def test_what_kills_itself_fails(engine):
    dies = notebook(
        "from utils import *", "def double(x):\n    import os\n    os.kill(os.getpid(), 9)", TEST
    )
    assert not engine.submit(work(dies)).result(timeout=60).verdicts[0].passed


def test_a_new_key_for_every_run(shared_engine):
    with limited(shared_engine, Limits()) as engine:
        keys = {engine.prepare(SOURCE, SOURCE, name="n").key for _ in range(2)}
        assert len(keys) == 2 and engine.submit(work(SOURCE)).result().verdicts[0].passed


@pytest.mark.parametrize(
    "cells, complaint",
    [
        (
            [code("e = expect\nexpect('a', 1, 1)", "t", test=True)],
            "'t' cannot be sealed: line 1: `expect` is used without being called",
        ),
        ([code("expect('a', 1, 2)", "t", test=True)], "fails in the test cell 't'"),
        ([code("if False: expect('a', 1, 1)", "t", test=True)], "asks nothing"),
        ([code("y = 1\nexpect('a', y, 1)", "t", test=True), "y"], "reads `y`"),
        (
            [
                "box = []",
                code("box.append(1)\nexpect('a', len(box), 1)", "t", test=True),
                code("expect('b', len(box), 1)", "u", test=True),
            ],
            "does not pass its own test 'u' once it is sealed|test cell 'u'",
        ),
        (
            ["import no_such_module"] + [code("expect('a', 1, 1)", "t", test=True)],
            "No module named 'no_such_module'",
        ),
    ],
)
def test_what_cannot_be_graded_is_refused_with_a_sentence(shared_engine, cells, complaint):
    source = notebook("from utils import *", *cells)
    with pytest.raises(EngineError, match=complaint) as error:
        shared_engine.prepare(source, source, name="week 1")
    assert str(error.value).startswith("week 1: ")


def test_submissions_run_while_the_reference_is_tried(course):
    slow = notebook("from utils import *", "import time; time.sleep(3)", DOUBLE, TEST)
    early = []
    with Engine(seen(course), workers=2) as engine:
        prepared = engine.prepare(slow, slow, name="n", wait=False)
        running = engine.submit(
            work(SOURCE), watch=lambda _: early.append(not prepared.tried.done())
        )
        assert running.result(60).verdicts[0].passed
    assert early == [True] and prepared.tried.done()


def test_who_ran_while_the_reference_was_tried_has_no_score_from_one_that_fails(course):
    half = code("2", "half_test", test=True, points=3)
    source = notebook("from utils import *", "import time; time.sleep(3)", DOUBLE, TEST, half)
    ran = []
    with Engine(seen(course), workers=2) as engine:
        engine.prepare(source, source, name="n", wait=False)
        running = engine.submit(work(SOURCE), watch=ran.append)
        with pytest.raises(EngineError, match="gets 2 of 3 points in 'half_test'"):
            running.result(60)
    assert len(ran) == 1


def test_expect_needs_a_reference(shared_engine):
    with pytest.raises(EngineError, match="no reference solution"):
        shared_engine.prepare(None, SOURCE, name="n")


PLAIN = {
    "right": ("assert square(2) == 4", 3.0),
    "wrong": ("assert square(2) == 5", 0.0),
    "partial credit": ("2", 2.0),
    "prints": ("print('fine')", 3.0),
    "a name for later": ("later = square(3)", 3.0),
    "uses it": ("assert later == 9", 3.0),
    "crash": ("raise SystemExit", 0.0),
}


def test_plain_asserts_keep_nbgrader_s_meaning(tmp_path):
    """A course without utils.py and without expect: nbgrader's own scoring of our outputs."""
    cells = [
        code(source, name.replace(" ", "_"), test=True, points=3)
        for name, (source, _) in PLAIN.items()
    ]
    nb = notebook("def square(x): return x * x", *cells)
    with Engine(seen(tmp_path), workers=1) as engine:
        engine.prepare(None, nb, name="n")
        result = engine.submit(work(nb)).result()
    graded = executed(nb, result).cells[1:]
    assert [determine_grade(cell)[0] for cell in graded] == [score for _, score in PLAIN.values()]
    assert result.verdicts == ()


def test_cells_that_were_not_run_score_nothing(tmp_path):
    nb = notebook("import os; os._exit(1)", code("assert True", "t", test=True))
    with Engine(seen(tmp_path), workers=1) as engine:
        engine.prepare(None, nb, name="n")
        graded = executed(nb, engine.submit(work(nb)).result()).cells[1]
    assert determine_grade(graded)[0] == 0 and error_of(graded).ename == "NotExecuted"


def test_tags_count_where_the_instructor_has_them(shared_engine):
    heavy = code("raise RuntimeError('heavy')", tags=["skip-execution"])
    named = code("raise RuntimeError('named')", "demo", tags=["skip-execution"])
    source = notebook("from utils import *", heavy, named, DOUBLE, TEST)
    mine = code("print('mine runs')", tags=["skip-execution"])
    with limited(shared_engine, Limits()) as engine:
        engine.prepare(source, source, name="n")
        submitted = notebook("from utils import *", heavy, named, DOUBLE, TEST, mine)
        shown = engine.submit(work(submitted)).result().cells
    assert not shown[1].outputs and not shown[2].outputs and text_of(shown[5]) == "mine runs\n"


def test_a_submission_is_handed_in_while_another_is_judged(course):
    slow = code(
        "expect('slow', double(1), where('in time', lambda answer: time.sleep(answer) or True))",
        "double_test",
        test=True,
    )
    source = notebook("from utils import *\nimport time", "def double(x):\n    return 0", slow)
    with Engine(seen(course), workers=2, limits=Limits(cell_seconds=5)) as engine:
        engine.prepare(source, source, name="n")
        came_back = threading.Event()
        late = engine.submit(
            work(notebook("from utils import *", "def double(x):\n    return 4", slow)),
            watch=lambda _: came_back.set(),
        )
        assert came_back.wait(60)  # and is judged from now on
        began = time.monotonic()
        assert engine.submit(work(source)).result(timeout=60).verdicts[0].passed
        assert not late.done() and time.monotonic() - began < 3
        assert late.result(timeout=60).verdicts[0].passed


def test_a_closed_engine_says_so(course):
    engine = Engine(seen(course), workers=1)
    engine.prepare(None, notebook("1"), name="n")
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.submit(work(notebook("1")))


def test_an_expect_of_a_courses_own_is_a_function_like_all_others(tmp_path):
    (tmp_path / "utils.py").write_text(
        "def expect(label, answer, expected):\n    assert answer == expected, label\n"
    )
    own = notebook(
        "from utils import expect\nx = 2", code("expect('x is two', x, 2)", "x_test", test=True)
    )
    with Engine(seen(tmp_path), workers=1) as engine:
        engine.prepare(None, own)
        graded = engine.submit(work(own, name="")).result()
    assert graded.problem is None and graded.verdicts == ()
    assert not [output for output in graded.cells[1].outputs if output.output_type == "error"]


def test_what_only_the_answer_key_imports_no_session_has_to(course):
    """Of the modules that answer_key blocks load first, those that sealed tests load as well are
    made ready all the same."""
    test = code(
        "with answer_key():\n    __import__('colorsys'), __import__('wave')\n__import__('wave')\n"
        "expect('double', double(sample(1, seed=1)[0]), 2 * sample(1, seed=1)[0])",
        "double_test",
        test=True,
    )
    source = notebook("from utils import *", "def double(x):\n    return 2 * x", test)
    with Engine(seen(course), workers=1, limits=Limits(cell_seconds=5)) as engine:
        prepared = engine.prepare(source, source, name="n")
        assert {"colorsys", "wave"} <= set(prepared.answer_key.imported)
        assert "wave" in prepared.modules and "colorsys" not in prepared.modules
        look = "import sys\nprint([name for name in ('colorsys', 'wave') if name in sys.modules])"
        result = engine.submit(work(notebook("from utils import *", look), "ada")).result(
            timeout=60
        )
        assert text_of(result.cells[1]) == "['wave']\n"


@pytest.mark.parametrize("name", ["lib", "data", "opt"])
@pytest.mark.parametrize("given", ["with the assignment", "with the course"])
@pytest.mark.parametrize("files", [("__init__.py",), ("part.py",)])
def test_a_package_of_the_course_may_be_called_as_a_folder_of_this_machine(
    tmp_path, name, given, files
):
    """/lib and /data are no packages, wherever processes start."""
    (tmp_path / "course").mkdir()
    course = make_course(tmp_path / "course")
    folder = tmp_path / "course" if given == "with the course" else tmp_path / "source"
    for file in files:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / file).write_text("def twice(x):\n    return 2 * x\n")
    module = name if "__init__.py" in files else f"{name}.part"
    use = code(f"from {module} import twice\ndef double(x):\n    return twice(x)")
    source = notebook("from utils import *", use, TEST)
    view = course_view(course, ["utils.py", "checks", *[name] * (given == "with the course")])
    with Engine(view, workers=1, limits=Limits()) as engine:
        beside = folder if given == "with the assignment" else None
        engine.prepare(source, source, folder=beside)
        assert engine.submit(Work("ada", "", source, beside)).result(60).verdicts[0].passed


SLOW_TEST = code(
    TEST.source.replace("x = sample", "import time; time.sleep(5)\nx = sample"),
    "double_test",
    test=True,
)


@pytest.mark.parametrize(
    "slow, where", [("import time; time.sleep(5)", "cell 2 of"), ("", "test 'double_test' of")]
)
def test_a_reference_that_is_too_slow_is_told_as_such(course, slow, where):
    source = notebook("from utils import *", slow or "1", DOUBLE, TEST if slow else SLOW_TEST)
    said = rf"{where} .* was not done in 1.5 s.*c\.Execute\.timeout \(now 0.5\)"
    with Engine(seen(course), workers=1, limits=Limits(cell_seconds=0.5)) as engine:
        with pytest.raises(EngineError, match=said):
            engine.prepare(source, source)


def test_a_reference_has_more_time_than_a_student(course):
    source = notebook("from utils import *", "import time; time.sleep(3)", DOUBLE, TEST)
    with Engine(seen(course), workers=1, limits=Limits(cell_seconds=2)) as engine:
        engine.prepare(source, source)
        result = engine.submit(work(source, name="")).result(60)
    assert "CellTimeoutError" in [output.get("ename") for output in result.cells[1].outputs]


def test_a_cell_that_is_no_python_is_named_and_not_the_name_that_is_missing(engine):
    broken = notebook("from utils import *", "def double(x)\n    return 2 * x", TEST)
    [verdict] = engine.submit(work(broken)).result(60).verdicts
    said = "cell 2 is not Python, and nothing in it ran (SyntaxError in line 1: expected ':')"
    assert [(check.reason, check.safe) for check in verdict.failed] == [(said, said)]


def test_a_figure_that_a_person_grades_may_be_large_and_what_is_cut_is_flagged(engine):
    show = "from IPython.display import display\ndisplay({'image/png': 'A' * %d}, raw=True)"
    drawn = code(show % (5 << 20), "double", solution=True)
    drawn.metadata["nbgrader"] |= {"grade": True, "points": 1}
    result = engine.submit(work(notebook(drawn, show % (5 << 20)))).result(60)
    assert len(result.cells[0].outputs[0].data["image/png"]) == 5 << 20
    assert "was dropped" in result.cells[1].outputs[0].text
    assert result.flags == ("cell 2 showed too much, and not all of it is there",)
