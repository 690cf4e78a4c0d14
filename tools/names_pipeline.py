"""NamesDataset.batches against a per-sample DataLoader: how long the same batches take.

    python -m tools.names_pipeline        prints both times and their ratio; twenty seconds

Both hand out the same contexts and targets in the same order, which is checked. The DataLoader is
the usual one: a Dataset that indexes one example at a time, the default collation, no worker
processes (with workers it is slower still here, because each batch is a few kilobytes). Rounds of
the two alternate, with one torch thread and with two; what is printed is the median of the rounds
and, in brackets, the middle half of them.
"""

import sys
import time
from collections import deque
from collections.abc import Iterable
from statistics import quantiles

import torch
from torch.utils.data import DataLoader, Dataset

from utils import NamesDataset, load_names, split_names

CONTEXT, BATCH_SIZE, STEPS, ROUNDS = 5, 128, 500, 31


class PerSample(Dataset):
    """One example at a time, as a Dataset is usually written."""

    def __init__(self, examples: NamesDataset):
        self.contexts, self.targets = examples.contexts, examples.targets

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, i: int):
        return self.contexts[i], self.targets[i]


def milliseconds(batches: Iterable) -> float:
    """How long a batch takes, where each is used and not kept."""
    began = time.perf_counter()
    deque(batches, maxlen=0)
    return 1000 * (time.perf_counter() - began) / STEPS


def spread(values: list[float], form: str) -> str:
    """The median and the middle half."""
    low, middle, high = (f"{value:{form}}" for value in quantiles(values, n=4))
    return f"{middle} ({low} to {high})"


def main() -> int:
    examples = NamesDataset(split_names(load_names())[0], CONTEXT)
    order = torch.randperm(len(examples), generator=torch.Generator().manual_seed(0))[
        : BATCH_SIZE * STEPS
    ].tolist()
    loader = DataLoader(PerSample(examples), batch_size=BATCH_SIZE, sampler=order)

    def batches() -> Iterable:
        return examples.batches(BATCH_SIZE, STEPS, seed=0)

    if not all(torch.equal(a, b) for pair in zip(loader, batches()) for a, b in zip(*pair)):
        print("The two hand out different batches: their times cannot be compared.")
        return 1
    print(f"{STEPS} batches of {BATCH_SIZE} examples, equal in both; {ROUNDS} rounds")
    for threads in (1, 2):
        torch.set_num_threads(threads)
        rounds = [(milliseconds(loader), milliseconds(batches())) for _ in range(ROUNDS)]
        slow, fast = map(list, zip(*rounds))
        print(f"torch threads: {threads}")
        print(f"  per-sample DataLoader   {spread(slow, '.3f')} ms a batch")
        print(f"  NamesDataset.batches    {spread(fast, '.4f')} ms a batch")
        print(f"  ratio in one round      {spread([a / b for a, b in rounds], '.1f')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
