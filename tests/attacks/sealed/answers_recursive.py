# attack: lists, tuples and dicts that hold themselves, and structures nested thousands deep
# points: none
# must not: hang or overflow whoever copies or compares them

# %% row_stats
ring = []
ring.append(ring)
row_stats = lambda x: (ring, ring)

# %% standardise
deep = None
for _ in range(100_000):
    deep = (deep,)
standardise = lambda x, eps=1e-5: deep

# %% influence
loop = {}
loop["self"] = loop
influence = lambda norm, x: loop
reading = lambda: loop

# %% normalise_over
class Endless(list):
    def __iter__(self):
        while True:
            yield self
    def __len__(self): return 2
normalise_over = token_group_norm = lambda *args: Endless([1, 2])
norm_dims = lambda: {"layer": Endless(), "batch": ring, "instance": loop}
