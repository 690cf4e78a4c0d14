# wrong: itertools.cycle, as found
# fails: endless
# told: The first epoch is replayed for ever

# %% endless
import itertools


def endless(loader):
    return itertools.cycle(loader)
