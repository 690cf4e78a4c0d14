# attack: segmentation faults, aborts, stack overflows and illegal instructions, in a test and in a cell
# points: none
# must not: harm anything but itself

# %% row_stats
import ctypes
def row_stats(x): ctypes.string_at(0)

# %% layer_norm
import os
def layer_norm(*args): os.abort()

# %% standardise
import sys
def standardise(*args, **kwargs):
    sys.setrecursionlimit(1 << 30)
    f = lambda f: f(f)
    f(f)

# %% influence
ctypes.memset(id(None), 255, 1 << 12)
