"""endless, 1 point: batches without end."""
from itertools import islice

task = Task("endless")


class Reshuffled:
    """A loader whose epochs are given: each iteration hands out the next one."""

    def __init__(self, epochs):
        self.epochs, self.begun, self.handed_out = epochs, 0, 0

    def __iter__(self):
        self.begun += 1
        for batch in self.epochs[(self.begun - 1) % len(self.epochs)]:
            self.handed_out += 1
            yield batch


EPOCHS = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
FIRST = "a loader of the epochs [1, 2, 3], [4, 5, 6] and [7, 8, 9]"


@task.probe("seven batches, three an epoch", shown=f"endless(loader), with {FIRST}")
def _(endless):
    return list(islice(endless(Reshuffled(EPOCHS)), 7))


@task.probe("no more batches are taken from the loader than asked for: after 0, 1, 2, ... of them", shown=f"endless(loader), with {FIRST}")
def _(endless):
    loader = Reshuffled(EPOCHS)
    batches, taken = endless(loader), [loader.handed_out]
    for _ in range(7):
        next(batches)
        taken.append(loader.handed_out)
    return taken


@task.probe("three thousand epochs: the number of batches")
def _(endless):
    return sum(1 for _ in islice(endless(Reshuffled([[1, 2, 3], [3, 1, 2]])), 9000))


@task.probe("epochs of other lengths, batches that are pairs", drawn=True)
def _(endless):
    rows = sample_ids(1000, 4, 5, seed=55).tolist()
    return list(islice(endless(Reshuffled([[(i, i + 1) for i in row[:n]] for row, n in zip(rows, (3, 5, 2, 5))])), 22))


# %% mistakes
mistake("The first epoch is replayed for ever. Iterate over the loader itself again in each epoch, not over stored batches or a copy.",
        "import itertools\ndef endless(loader):\n    return itertools.cycle(loader)")
mistake("It ends after one epoch.", {"while True": "if True"})
mistake("You handed out whole epochs. Hand out batches, one by one.", {"yield from loader": "yield list(loader)"})
mistake("You begin a new epoch for every batch.", {"yield from loader": "yield next(iter(loader))"})
mistake("The first batch of each later epoch is lost. Is it taken with `next`, and not handed out?",
        "def endless(loader):\n    yield from loader\n    while True:\n        epoch = iter(loader)\n        next(epoch)\n        yield from epoch")
ahead = "More batches are taken than asked for: is a whole epoch stored before its first batch is handed out, or are batches fetched ahead?"
mistake(ahead, {"yield from loader": "yield from list(loader)"})
mistake(ahead, "def endless(loader):\n    waiting = []\n    while True:\n        for batch in loader:\n            waiting.append(batch)\n"
        "            if len(waiting) > 1:\n                yield waiting.pop(0)")
mistake("It ends. Batches without end: begin a new epoch for ever (while True).", {"while True": "for _ in range(10)"})
mistake("It ends. Batches without end: begin a new epoch for ever (while True).", {"while True": "for _ in range(1000)"})
mistake("Hand out each batch as it is: you took contexts and targets apart.", {"yield from loader": "for batch in loader:\n            yield from batch if isinstance(batch, tuple) else [batch]"})
mistake("All epochs are as long as the first one here: read each to its end.",
        "def endless(loader):\n    first = list(loader)\n    yield from first\n    while True:\n        yield from list(loader)[: len(first)]")

# %% right: chained epochs
import itertools


def endless(loader):
    return itertools.chain.from_iterable(itertools.repeat(loader))

# %% right: a class with an iterator of its own
class Endless:
    def __init__(self, loader):
        self.loader, self.batches = loader, iter(())

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            try:
                return next(self.batches)
            except StopIteration:
                self.batches = iter(self.loader)


def endless(loader):
    return Endless(loader)

# %% right: a generator expression over repeat
def endless(loader):
    import itertools

    return (batch for epoch in itertools.repeat(loader) for batch in epoch)

# %% right: the two-argument iter makes epochs without end
def endless(loader):
    for epoch in iter(lambda: iter(loader), None):
        yield from epoch

# %% right: the loss from log_softmax and gather; endless as a class
class endless:
    def __init__(self, loader):
        self.loader = loader
        self.epoch = iter(())

    def __iter__(self):
        return self

    def __next__(self):
        for batch in self.epoch:
            return batch
        self.epoch = iter(self.loader)
        return next(self.epoch)

# %% right: ARENA
from typing import Iterator


def endless(loader) -> Iterator:
    while True:
        for batch in loader:
            yield batch

# %% right: CS231n
def endless(loader):
    epoch = 0
    while True:
        epoch += 1
        for data in loader:
            yield data

# %% right: makemore
def endless(loader):
  while True:
    yield from loader # a fresh order every epoch

# %% right: torch source
class _InfiniteIter:
    def __init__(self, loader):
        self._loader = loader
        self._iter = iter(loader)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._iter)
        except StopIteration:
            self._iter = iter(self._loader)
            return next(self._iter)


def endless(loader):
    return _InfiniteIter(loader)

# %% right: numpy first
from itertools import chain, repeat


def endless(loader):
    return chain.from_iterable(repeat(loader))

# %% right: plain loops
def endless(loader):
    iterator = iter(loader)
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            batch = next(iterator)
        yield batch
