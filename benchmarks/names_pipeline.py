"""NamesDataset.batches against a per-sample DataLoader: how long the same batches take.

    python benchmarks/names_pipeline.py        prints both times and their ratio; ten seconds

Both hand out the same contexts and targets in the same order, which is checked. The DataLoader is
the usual one: a Dataset that indexes one example at a time, the default collation, no worker
processes (with workers it is slower still here, because each batch is a few kilobytes).
"""

import sys
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from utils import NamesDataset, load_names, split_names

CONTEXT, BATCH_SIZE, STEPS, ROUNDS = 5, 128, 500, 5


class PerSample(Dataset):
    """One example at a time, as a Dataset is usually written."""

    def __init__(self, examples: NamesDataset):
        self.contexts, self.targets = examples.contexts, examples.targets

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, i: int):
        return self.contexts[i], self.targets[i]


def main() -> int:
    torch.set_num_threads(1)
    examples = NamesDataset(split_names(load_names())[0], CONTEXT)
    order = torch.randperm(len(examples), generator=torch.Generator().manual_seed(0))[
        : BATCH_SIZE * STEPS
    ].tolist()
    loader = DataLoader(PerSample(examples), batch_size=BATCH_SIZE, sampler=order)
    loader_ms, tensor_ms = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        slow = list(loader)
        middle = time.perf_counter()
        fast = list(examples.batches(BATCH_SIZE, STEPS, seed=0))
        ended = time.perf_counter()
        loader_ms.append(1000 * (middle - began) / STEPS)
        tensor_ms.append(1000 * (ended - middle) / STEPS)
    if not all(torch.equal(a, b) for pair in zip(slow, fast) for a, b in zip(*pair)):
        print("The two hand out different batches: their times cannot be compared.")
        return 1
    print(f"{STEPS} batches of {BATCH_SIZE} examples, equal in both; best of {ROUNDS} rounds")
    print(f"per-sample DataLoader   {min(loader_ms):8.3f} ms a batch")
    print(f"NamesDataset.batches    {min(tensor_ms):8.3f} ms a batch")
    print(f"ratio                   {min(loader_ms) / min(tensor_ms):8.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
