# attack: numpy arrays of objects, structured arrays, masked arrays and memory maps whose methods lie
# points: none
# must not: have a method of an answer's run on the trusted side

# %% row_stats
import numpy as np
class Lies(np.ndarray):
    def __array__(self, *args, **kwargs): return np.ones(1)
    def item(self, *args): return True
    def __array_function__(self, *args): return True
    def __array_ufunc__(self, *args, **kwargs): return True
row_stats = lambda x: (np.zeros((2, 1)).view(Lies), np.array([object()], dtype=object))

# %% standardise
standardise = lambda x, eps=1e-5: np.ma.masked_all(tuple(x.shape))

# %% influence
influence = lambda norm, x: np.zeros(len(x), dtype=[("a", "f4"), ("b", "O")])
reading = lambda: np.str_("own")
