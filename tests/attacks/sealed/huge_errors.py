# attack: error messages of a hundred megabytes, tracebacks of thousands of frames, chains of thousands of causes
# points: none
# must not: fill the notebook, the gradebook or the grader's time

# %% row_stats
def row_stats(x): raise ValueError("x" * 100_000_000)

# %% layer_norm
raise ValueError("y" * 50_000_000)

# %% LayerNorm
def down(depth): return 1 / 0 if depth == 0 else down(depth - 1)
down(900)

# %% standardise
def standardise(x, eps=1e-5):
    error = ValueError("0")
    for number in range(5000):
        later = ValueError(str(number))
        later.__cause__ = error
        error = later
    raise error
