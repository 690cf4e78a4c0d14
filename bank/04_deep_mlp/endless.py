"""endless, 1 point."""

# %% wrong: itertools.cycle, as found
# told: The first epoch is replayed for ever
import itertools


def endless(loader):
    return itertools.cycle(loader)

# %% wrong: a new order each epoch, but each epoch stored first
# told: A whole epoch is stored
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
