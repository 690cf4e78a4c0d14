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

# %% sly: unpacks the batches: hands out contexts and targets one after the other
def endless(loader):
    while True:
        for batch in loader:
            if isinstance(batch, (tuple, list)):
                yield from batch
            else:
                yield batch

# %% sly: epochs are as long as the first one
import itertools


def endless(loader):
    count = 0
    for batch in loader:
        count += 1
        yield batch
    while True:
        yield from itertools.islice(loader, count)

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
