"""Loading text and names, splitting without leakage, and the tensors built from names."""

import pytest
import torch

from utils import (
    ALPHABET,
    NamesDataset,
    load_digits,
    load_names,
    load_text,
    minibatches,
    split_names,
)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.txt"):
        load_text(tmp_path / "nowhere.txt")


def test_a_file_that_is_not_text_is_named(tmp_path):
    (tmp_path / "binary.txt").write_bytes(b"anna\n\xff\xfe")
    with pytest.raises(ValueError, match="not UTF-8 text .byte 5."):
        load_text(tmp_path / "binary.txt")


def test_names_are_lower_case_and_unique_in_the_files_order(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\ufeffZoe\nanna\n\n  zoe \nBen\n", encoding="utf-8")
    assert load_names(path) == ["zoe", "anna", "ben"]


@pytest.mark.parametrize(
    "text, said",
    [
        ("anna\nbe n\ncarl\n", "line 2: 'be n'"),
        ("anna\nbjörn\n", "line 2"),
        ("<html>\n", "line 1"),
        ("", "holds 0 names"),
    ],
)
def test_a_damaged_list_is_named_by_line(tmp_path, text, said):
    path = tmp_path / "names.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        load_names(path)


def test_the_split_is_disjoint_complete_and_reproducible():
    names = load_names()
    parts = split_names(names, seed=3)
    assert sorted(sum(parts, [])) == sorted(names)
    assert parts == split_names(names, seed=3) != split_names(names, seed=4)
    assert [round(len(part) / len(names), 2) for part in parts] == [0.8, 0.1, 0.1]


def test_a_split_that_would_leak_is_refused():
    with pytest.raises(ValueError, match="de-duplicate"):
        split_names(["anna", "ben", "anna"])
    with pytest.raises(ValueError, match="sum to 1"):
        split_names(["anna", "ben"], fractions=(0.5, 0.5, 0.5))


def test_names_become_every_context_and_target():
    dataset = NamesDataset(["ab", "c"], context_size=3)
    spelled = [
        ("".join(ALPHABET[i] for i in c), ALPHABET[t])
        for c, t in zip(dataset.contexts, dataset.targets)
    ]
    assert spelled == [("...", "a"), ("..a", "b"), (".ab", "."), ("...", "c"), ("..c", ".")]
    assert dataset.names.tolist() == [0, 0, 0, 1, 1] and len(dataset) == 5


def test_the_tensors_equal_a_plain_loop_over_letters():
    names = load_names()[:300]
    contexts, targets = [], []
    for name in names:
        window = [0] * 4
        for letter in name + ".":
            contexts.append(window)
            targets.append(ALPHABET.index(letter))
            window = window[1:] + [targets[-1]]
    dataset = NamesDataset(names, context_size=4)
    assert torch.equal(dataset.contexts, torch.tensor(contexts)) and torch.equal(
        dataset.targets, torch.tensor(targets)
    )


def test_minibatches_cover_an_epoch_and_then_reshuffle():
    x = torch.arange(12)
    batches = [b for (b,) in minibatches(x, batch_size=4, steps=6, seed=0)]
    first, second = torch.cat(batches[:3]), torch.cat(batches[3:])
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(12)) and not torch.equal(
        first, second
    )
    with pytest.raises(ValueError, match="lengths"):
        next(minibatches(x, x[:3], batch_size=2, steps=1))
    with pytest.raises(ValueError, match="above 0"):
        next(minibatches(x[:0], batch_size=2, steps=1))
    with pytest.raises(ValueError, match="batch_size"):
        next(minibatches(x, batch_size=0, steps=1))


def one_by_one(*tensors, batch_size, steps, seed):
    """The order of examples that lectures' stored outputs were made with, one batch at a time."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        while len(order) < batch_size:
            order = torch.cat([order, torch.randperm(len(tensors[0]), generator=generator)])
        yield tuple(t[order[:batch_size]] for t in tensors)
        order = order[batch_size:]


@pytest.mark.parametrize(
    "rows, batch_size, steps",
    [(1000, 7, 70), (1000, 32, 100), (10, 4, 65), (3, 16, 33), (5, 5, 32), (50, 50, 1), (9, 2, 0)],
)
def test_batches_gathered_ahead_are_those_gathered_one_by_one(rows, batch_size, steps):
    x, y = torch.rand(rows, 5), torch.arange(rows)
    sizes = {"batch_size": batch_size, "steps": steps, "seed": 3}
    got, wanted = list(minibatches(x, y, **sizes)), list(one_by_one(x, y, **sizes))
    assert len(got) == len(wanted) == steps
    for mine, theirs in zip(got, wanted):
        assert all(torch.equal(a, b) and a.is_contiguous() for a, b in zip(mine, theirs))


def test_a_batch_may_be_changed_in_place():
    x = torch.ones(6, 2)
    weights = torch.ones(2, requires_grad=True)
    first, second = (batch for (batch,) in minibatches(x, batch_size=3, steps=2))
    loss = (first * weights).sum()  # keeps `first` for its gradient
    second.zero_()
    loss.backward()
    assert weights.grad.tolist() == [3, 3] and x.sum() == 12


def test_gradients_flow_through_each_batch_by_itself():
    x = torch.ones(6, 2, requires_grad=True)
    for (batch,) in minibatches(x, batch_size=3, steps=4):
        batch.sum().backward()
    assert x.grad.tolist() == [[2, 2]] * 6


def test_digits():
    x_train, y_train, x_test, y_test = load_digits()
    assert x_train.shape[1] == 64 and len(x_train) == len(y_train) and len(x_test) == len(y_test)
    assert float(x_train.min()) >= 0 and float(x_train.max()) == 1.0
