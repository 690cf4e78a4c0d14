<<<<<<< HEAD
"""The hidden test of exercise 05 holds one row of every held-out name; a sealed session sees
=======
"""The hidden test of exercise 04 holds one row of every held-out name; a sealed session sees
>>>>>>> main
contexts, never answers."""

import nbformat
from nbseal.cells.sealing import seal

from tests.course import ROOT
from tools.held_out_rows import CONTEXT, HELD_OUT, held_out_rows

DEEP_MLP = "04_deep_mlp/deep_mlp.ipynb"
<<<<<<< HEAD
TRANSFORMER = "05_transformer_block/transformer_block.ipynb"
HOLDS = [(TRANSFORMER, held_out_beginnings)]
=======
>>>>>>> main


def hidden_test() -> str:
    notebook = nbformat.read(ROOT / "solutions" / DEEP_MLP, as_version=4)
    return next(
        cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "train_names_model_test"
    )


def longest_letters(source: str) -> list[str]:
    """The texts of more than 1,000 letters and dots that a cell holds, without their line
    breaks."""
    texts = ("".join(part.split()) for part in source.split('"""')[1::2])
    return [text for text in texts if len(text) > 1000]


def test_the_notebook_holds_what_the_script_makes():
    contexts, answers = held_out_rows()
    assert longest_letters(hidden_test()) == ["".join(contexts), answers], (
        "run python tools/held_out_rows.py and paste its texts"
    )


def test_sealing_leaves_the_contexts_and_takes_the_answers():
    contexts, answers = held_out_rows()
    sealed = "".join(seal(hidden_test()).source.replace("\\n", "").split())
    assert "".join(contexts) in sealed
    assert answers[:200] not in sealed


def test_every_name_gives_one_row_the_beginning_of_a_name_and_what_follows():
    contexts, answers = held_out_rows(context_size=15)  # long enough to hold every name
    names = HELD_OUT.read_text().split()
    assert len(contexts) == len(answers) == len(names)
    begun = [context.strip(".") for context in contexts]
    for start, answer in zip(begun, answers):
        assert any((name + ".").startswith(start + answer) for name in names)


def test_contexts_are_of_the_size_that_the_exercise_asks_for():
    assert {len(context) for context in held_out_rows()[0]} == {CONTEXT}
    assert f"CONTEXT, BUDGET, SECONDS = {CONTEXT}," in (ROOT / "solutions" / DEEP_MLP).read_text()
