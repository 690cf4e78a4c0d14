# attack: tensors whose detach, to, clone and numpy, and tuples whose length and iteration, run code while being copied
# points: none
# must not: gain a point by code that runs while an answer is copied

# %% row_stats
class Evil(torch.Tensor):
    def detach(self): raise SystemExit
    def to(self, *a, **k): raise KeyboardInterrupt
    def clone(self, *a): return 1 / 0
    @property
    def layout(self): raise MemoryError
    @property
    def is_meta(self): return self.nothing
class Pair(tuple):
    def __len__(self): return -1
    def __iter__(self): raise StopIteration
class Map(dict):
    def items(self): yield from ((k, k) for k in range(10**9))
    def __len__(self): return 0
row_stats = lambda x: Pair((x.as_subclass(Evil), x))

# %% standardise
standardise = lambda x, eps=1e-5: x.as_subclass(Evil)

# %% influence
influence = lambda norm, x: Map(a=1)
reading = lambda: Map(a=1)
