"""Declared tasks in a notebook: what is asked, compared, named, stored and shown."""

import json
import sys

import pytest
from nbseal.checks import CheckFailed, check, declared
from nbseal.checks.declared.showing import Report

FILE = '''"""halves, 1 point."""
task = Task("halves")
f = task.function()
f.look("an even number", 8)
f.look("an odd number", 7)
f.raises("a negative number", -1)
f.case("a drawn number", lambda: (int(sample_ids(1000, 1, seed=3)[0]),))

# %% mistakes
mistake("You divided with remainder.", returns="[n // 2]")
mistake("Return a list.", returns="n / 2", see="01#lists")
mistake("A negative number is to be refused.", {"if n < 0": "if False"})

# %% right: by multiplication
def halves(n):
    if n < 0:
        raise ValueError("negative")
    return [n * 0.5]
'''
REFERENCE = (
    'def halves(n):\n    if n < 0:\n        raise ValueError("negative")\n    return [n / 2]'
)


LISTS = declared.Section(
    "lecture 01, 2 · Lists", "../../lectures/01_a.ipynb#2-·-Lists", "https://a"
)


def space(source):
    names = {"__name__": "__main__"}
    exec(compile(source, "cell", "exec"), names)
    return names


@pytest.fixture
def stored():
    """The task, what is wanted, and what its mistakes answer."""
    task = declared.load(FILE)
    want = declared.wanted(task, space(REFERENCE))
    known = [
        declared.known_by(task, want, one.sentence, one.see and LISTS, space(one.edit(REFERENCE)))
        for one in declared.load_mistakes(FILE)
    ]
    return task, want, known


def told(stored, source):
    task, want, known = stored
    answers = declared.ask(task, space(source))
    results = declared.judge(want, answers)
    found = declared.diagnose(want, answers, results, known)
    return found.sentence if found else [one.label for one in results if not one.ok and one.core]


def test_the_reference_and_every_right_variant_pass(stored):
    assert told(stored, REFERENCE) == []
    assert all(told(stored, source) == [] for source in declared.load_variants(FILE).values())


def test_every_mistake_is_named_by_its_own_sentence_in_other_words_too(stored):
    for one in declared.load_mistakes(FILE):
        assert told(stored, one.edit(REFERENCE)) == one.sentence
    other = REFERENCE.replace("return [n / 2]", "return [int(n / 2)]")
    assert told(stored, other) == "You divided with remainder."
    nobodys = REFERENCE.replace("n / 2", "n / 3")
    assert told(stored, nobodys) == ["an even number", "an odd number", "a drawn number"]


@pytest.mark.parametrize("answer, right", [("19900", True), ("19901", False), ("19900.0", True)])
def test_whole_numbers_are_exact(answer, right):
    task = declared.load('task = Task("f")\nf = task.function()\nf.look("sum", 1)')
    want = declared.wanted(task, space("def f(n): return 19900"))
    results = declared.judge(want, declared.ask(task, space(f"def f(n): return {answer}")))
    assert results[0].ok is right


def test_an_error_is_an_answer_with_its_line_and_a_loop_ends():
    task = declared.load('task = Task("f", seconds=0.3)\nf = task.function()\nf.look("a", 1)')
    [(_, answer), *_] = declared.ask(task, space("def f(n):\n    return n.size"))
    assert answer["raised"] == "AttributeError" and "line 2 of f" in answer["where"]
    [(_, answer), *_] = declared.ask(task, space("def f(n):\n    while True: pass"))
    assert answer["raised"] == "TimeoutError"


def test_other_keys_draw_other_inputs_and_hidden_asks_drawn_ones_alone(stored):
    task = stored[0]
    visible = dict(declared.ask(task, space(REFERENCE)))
    hidden = dict(declared.ask(task, space(REFERENCE), "secret", True, "hidden"))
    assert hidden.keys() == {"a drawn number"}
    assert hidden["a drawn number"] != visible["a drawn number"]


def test_what_is_stored_reads_back_and_holds_no_solution(stored, tmp_path):
    task, want, known = stored
    entry = declared.packed(task, declared.sections(FILE)["probes"], want, known, "Task 1", 1)
    text = json.dumps(
        {"format": declared.FORMAT, "hash": "", "assignment": "a", "tasks": {"halves": entry}}
    )
    assert "n / 2" not in text and "n // 2" not in text and "0.5" not in entry["source"]
    (tmp_path / "tasks.json").write_text(text)
    again = declared.read_task(tmp_path / "tasks.json", "halves")
    assert [(one.sentence, one.see) for one in again.known] == [
        (one.sentence, one.see) for one in known
    ]
    read = again.task(), again.wanted, again.known
    for one in declared.load_mistakes(FILE):
        assert told(read, one.edit(REFERENCE)) == one.sentence
    assert told(read, REFERENCE) == []


@pytest.fixture
def notebook(stored, tmp_path, monkeypatch):
    """A student's folder; returns what a check prints for an answer."""
    task, want, known = stored
    entry = declared.packed(task, declared.sections(FILE)["probes"], want, known, "Task 1", 1)
    content = {"format": declared.FORMAT, "hash": "", "assignment": "a", "tasks": {"halves": entry}}
    (tmp_path / "tasks.json").write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)
    return lambda source: exec("check('halves')", space(source) | {"check": check})


def test_a_student_reads_the_call_both_values_and_the_mistake(notebook, capsys):
    notebook(REFERENCE)
    assert capsys.readouterr().out.strip().endswith("Task 1: done, 1 point")
    with pytest.raises(CheckFailed, match="You divided with remainder"):
        notebook(REFERENCE.replace("[n / 2]", "[n // 2]"))
    said = capsys.readouterr().out
    assert "called    halves(7)" in said and "expected  [3.5]" in said and "got       [3]" in said
    assert "→ You divided with remainder." in said
    with pytest.raises(CheckFailed):
        notebook(REFERENCE.replace("[n / 2]", "n / 2"))
    assert f"(see {LISTS.title}: {LISTS.path})" in capsys.readouterr().out


@pytest.mark.parametrize("colab", [False, True])
def test_a_mistake_links_to_where_it_is_explained(stored, monkeypatch, colab):
    task, want, known = stored
    if colab:
        monkeypatch.setitem(sys.modules, "google.colab", None)
    answers = dict(declared.ask(task, space(REFERENCE.replace("[n / 2]", "n / 2"))))
    results = declared.judge(want, answers.items())
    told = declared.diagnose(want, answers.items(), results, known)
    page = Report("Task 1", 1, task, answers, want, results, told, [])._repr_html_()
    place = LISTS.web if colab else LISTS.path
    assert f"Return a list.</b> <a href='{place}'>{LISTS.title}</a>" in page


def test_code_that_fails_is_not_told_that_it_changed_its_arguments(notebook, capsys):
    with pytest.raises(CheckFailed):
        notebook("def halves(n):\n    return n.size")
    assert "also worth knowing" not in capsys.readouterr().out


def test_an_open_task_is_one_line(notebook, capsys):
    with pytest.raises(CheckFailed, match="halves: not written yet"):
        notebook("def halves(n):\n    raise NotImplementedError('TODO')")
    assert capsys.readouterr().out.strip() == "halves: not written yet"


def test_what_is_asked_with_a_secret_key_shows_labels_and_no_numbers(stored):
    task, want, known = stored
    answers = dict(declared.ask(task, space(REFERENCE.replace("n / 2", "n / 3")), "secret"))
    results = declared.judge(want, answers.items())
    report = Report("Task 1", 1, task, answers, want, results, None, [], hidden=True)
    said = f"{report} {report.headline()} {report._repr_html_()}"
    assert "✗ a drawn number" in said and "wrong at 'an even number', on new inputs" in said
    assert "called" not in said and "expected" not in said and "got" not in said


@pytest.mark.parametrize(
    "text, said",
    [
        ("x = 1", "declares no task"),
        ('task = Task("f")\nf = task.function()\nf.look("a", 1)\nf.look("a", 2)', "name each once"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text, said):
    with pytest.raises(ValueError, match=said):
        declared.load(text)


def test_an_edit_of_what_the_reference_no_longer_has_is_refused():
    text = FILE.replace('returns="n / 2"', 'whole="n / 2"')
    with pytest.raises(ValueError, match="nothing is assigned to 'whole'"):
        [one.edit(REFERENCE) for one in declared.load_mistakes(text)]


def test_functions_may_be_given_and_are_shown_as_they_are_written():
    pytest.importorskip("torch")
    task = declared.load(
        'task = Task("run")\nf = task.function(x="... D", steps=[[code("lambda h: h * h")]])\n'
        'f.look("one step", x=[1., 2.], steps=[code("lambda h: 10 * h")])'
    )
    takes_them_out = space("def run(x, steps): return x + steps.pop()(x)")
    assert task.probes[0].shown() == "run(tensor([1.0, 2.0]), [lambda h: 10 * h])"
    assert all(task.probes[0].answer(takes_them_out).tolist() == [11, 22] for _ in range(2))


def test_a_list_of_lists_that_no_mistake_explains_is_told_of_by_its_probe():
    file = 'task = Task("rows")\ntask.function().look("rows", 2, otherwise="Count from 1.")'
    task = declared.load(file)
    want = declared.wanted(task, space("def rows(n):\n    return [[1], [2]]"))
    answers = declared.ask(task, space("def rows(n):\n    return [[0], [1]]"))
    results = declared.judge(want, answers)
    assert declared.diagnose(want, answers, results, []).sentence == "Count from 1."


IMAGES = """
task = Task("Scale")
m = task.module(starts=False, leads=((4,), (1,)))
m.build(3, kind=int, takes=(3, 2, 2))
"""


def test_a_layer_of_images_is_asked_with_the_leading_dimensions_that_are_named():
    task = declared.load(IMAGES)
    source = (
        "from torch import nn\nclass Scale(nn.BatchNorm2d):\n"
        "    def __init__(self, channels, kind):\n        super().__init__(channels)\n"
    )
    want = declared.wanted(task, space(source), core_only=True)
    assert list(want["Scale(3, kind=int): results"].value) == [
        "training, input of shape (4, 3, 2, 2)",
        "training, input of shape (1, 3, 2, 2)",
        "evaluation, input of shape (1, 3, 2, 2)",
    ]
    answers = declared.ask(task, space(source))
    assert [one.reason for one in declared.judge(want, answers) if not one.ok] == []


APPROXIMATED = """import torch

task = Task("Bent")
m = task.module(starts=False, tolerance=0.01, skip=["copies"])
m.build(takes=(2,))
"""
BENT = (
    "import torch\n\n\nclass Bent(torch.nn.Module):\n    def forward(self, x):\n"
    "        return torch.nn.functional.gelu(x{})"
)


@pytest.mark.parametrize("more, right", [(", approximate='tanh'", True), (" * 1.1", False)])
def test_a_tolerance_takes_what_the_text_calls_an_approximation(more, right):
    task = declared.load(APPROXIMATED)
    want = declared.wanted(task, space(BENT.format("")))
    answers = declared.ask(task, space(BENT.format(more)))
    assert all(one.ok for one in declared.judge(want, answers) if one.core) is right


def test_what_is_wanted_may_depend_on_what_is_drawn(tmp_path):
    file = """task = Task("guess")
@task.probe("the number", lambda: int(sample_ids(1000, 1, seed=1)[0]), drawn=True)
def _(guess):
    return guess(int(sample_ids(1000, 1, seed=1)[0]))
"""
    task = declared.load(file)
    wants = [declared.wanted(task, {}, key) for key in (declared.PUBLIC, "secret")]
    entry = declared.packed(task, file, wants[1], [], key="secret")
    assert wants[0]["the number"].value != wants[1]["the number"].value
    assert (
        declared.unpacked("guess", entry).wanted["the number"].value == wants[1]["the number"].value
    )
