# attack: integers of a million digits, strings of half surrogates, dicts with odd keys, numbers that are classes
# points: none
# must not: stop the writing of a verdict

# %% row_stats
row_stats = lambda x: (10 ** 1_000_000, -10 ** 4000)

# %% standardise
standardise = lambda x, eps=1e-5: "\ud800\udfff\x00" * 1000

# %% influence
class Int(int):
    def __int__(self): return 10 ** 5000
    __index__ = __int__
class Text(str):
    def __str__(self): return "\ud800"
influence = lambda norm, x: {None: 1, True: 2, 1.5: 3, float("nan"): 4, "": 5, "\ud800": 6}
reading = lambda: {Text("layer norm, training"): Int(1), (1, 2): 3}

# %% normalise_over
normalise_over = lambda *args: Int(3)
token_group_norm = lambda *args: float("nan")
norm_dims = lambda: {"layer": Int(), "batch": Text(), "instance": 2 ** 63}
