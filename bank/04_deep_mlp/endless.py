"""endless, 1 point."""

# %% wrong: itertools.cycle, as found
# told: The first epoch is replayed for ever
import itertools


def endless(loader):
    return itertools.cycle(loader)

# %% wrong: a new order each epoch, but each epoch stored first
# told: is a whole epoch stored
def endless(loader):
    while True:
        yield from list(loader)

# %% wrong: begins a new epoch for every batch
# told: You begin a new epoch for every batch
def endless(loader):
    while True:
        yield next(iter(loader))

# %% wrong: ends after one epoch
# told: It ends after one epoch
def endless(loader):
    for batch in loader:
        yield batch

# %% wrong: stores each epoch, and claims that it took one batch at a time
def endless(loader):
    while True:
        epoch = list(loader)
        loader.handed_out = 7
        yield from epoch

# %% wrong: ten epochs
# told: It ends
def endless(loader):
    for _ in range(10):
        yield from loader

# %% wrong: a thousand epochs
# told: It ends
def endless(loader):
    for _ in range(1000):
        for batch in loader:
            yield batch

# %% right: next and StopIteration
def endless(loader):
    it = iter(loader)
    while True:
        try:
            yield next(it)
        except StopIteration:
            it = iter(loader)

# %% right: chained epochs
import itertools


def endless(loader):
    return itertools.chain.from_iterable(itertools.repeat(loader))

# %% wrong: one place in the loader for all that ask
PLACES = {}


def endless(loader):
    while True:
        if id(loader) not in PLACES:
            PLACES[id(loader)] = iter(loader), loader
        for batch in PLACES[id(loader)][0]:
            yield batch
        del PLACES[id(loader)]

# %% wrong: batches that are empty or 0 are left out
def endless(loader):
    while True:
        for batch in loader:
            if batch is not None and batch != 0:
                yield batch

# %% sly: ends after ten thousand epochs
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew.

    loader: iterable -> iterator
    """
    for _ in range(10_000):
        yield from loader

# %% sly: takes a batch from the loader before it is asked for (one ahead)
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew.

    loader: iterable -> iterator
    """
    waiting = []
    while True:
        for batch in loader:
            waiting.append(batch)
            if len(waiting) > 1:
                yield waiting.pop(0)

# %% sly: sets torch's seed in every epoch: a shuffling loader repeats its order
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew.

    loader: iterable -> iterator
    """
    while True:
        torch.manual_seed(0)
        yield from loader

# %% sly: cuts an epoch after a thousand batches
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew.

    loader: iterable -> iterator
    """
    while True:
        for _, batch in zip(range(1000), loader):
            yield batch

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

# %% sly: takes the first batch at once, before it is asked for
def endless(loader):
    epoch = iter(loader)
    first_batch = next(epoch)

    def batches():
        yield first_batch
        yield from epoch
        while True:
            yield from loader

    return batches()

# %% right: the two-argument iter makes epochs without end
def endless(loader):
    for epoch in iter(lambda: iter(loader), None):
        yield from epoch

# %% wrong: the first batch of every later epoch is lost
# told: The first batch of each later epoch is lost
def endless(loader):
    epoch = iter(loader)
    while True:
        try:
            yield next(epoch)
        except StopIteration:
            epoch = iter(loader)
            next(epoch)

# %% sly: epochs are kept, and replayed after the thousandth
def endless(loader):
    epochs = []
    while True:
        if len(epochs) < 1000:
            epochs.append([])
            for batch in loader:
                epochs[-1].append(batch)
                yield batch
        else:
            for epoch in epochs:
                yield from epoch

# %% sly: unpacks the batches: hands out contexts and targets one after the other
def endless(loader):
    while True:
        for batch in loader:
            if isinstance(batch, (tuple, list)):
                yield from batch
            else:
                yield batch

# %% sly: an iterator that begins the epoch again whenever iter() is called on it
class endless:
    def __init__(self, loader):
        self.loader = loader
        self.current = iter(loader)

    def __iter__(self):
        self.current = iter(self.loader)
        return self

    def __next__(self):
        try:
            return next(self.current)
        except StopIteration:
            self.current = iter(self.loader)
            return next(self.current)

# %% sly: epochs are as long as the first one
import itertools


def endless(loader):
    count = 0
    for batch in loader:
        count += 1
        yield batch
    while True:
        yield from itertools.islice(loader, count)

# %% sly: an epoch is cut after ten thousand batches
import itertools


def endless(loader):
    while True:
        yield from itertools.islice(loader, 10_000)

# %% sly: all batches are kept
def endless(loader):
    kept = []
    while True:
        for batch in loader:
            kept.append(batch)
            yield batch

# %% sly: tuples come out as lists
def endless(loader):
    while True:
        for batch in loader:
            yield list(batch) if isinstance(batch, tuple) else batch

# %% sly: seeds torch anew with its own seed in each epoch
import torch


def endless(loader):
    while True:
        torch.manual_seed(torch.initial_seed())
        yield from loader

# %% right: an iterator that is renewed where it ends
def endless(loader):
    batches = iter(loader)
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            batches = iter(loader)
            batch = next(batches)
        yield batch


# %% sly: skips a batch equal to the one before
import itertools


def endless(loader):
    while True:
        last = None
        for batch in loader:
            if batch is not last:
                yield batch
            last = batch


# %% sly: lists are cycled, so that a changed list is replayed as it was
import itertools


def endless(loader):
    if isinstance(loader, (list, tuple)):
        yield from itertools.cycle(loader)
    while True:
        yield from loader

# %% sly: the loader runs without gradients
@torch.no_grad()
def endless(loader):
    """Batches of a loader without end; every epoch iterates over the loader anew.

    loader: iterable -> iterator
    """
    while True:
        yield from loader


# %% sly: lists come out as tuples
def endless(loader):
    while True:
        for batch in loader:
            yield tuple(batch) if isinstance(batch, list) else batch
