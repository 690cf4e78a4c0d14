# attack: SystemExit, KeyboardInterrupt, GeneratorExit and a BaseException of its own instead of answers
# points: none
# must not: end a test as if it had passed, or end the session

# %% row_stats
def row_stats(x): raise SystemExit(0)

# %% layer_norm
def layer_norm(*args): raise KeyboardInterrupt

# %% normalise_over
def normalise_over(*args): raise GeneratorExit
norm_dims = token_group_norm = normalise_over

# %% standardise
class Passed(BaseException): pass
def standardise(*args, **kwargs): raise Passed("✓")

# %% influence
def influence(*args): exit()
def reading(): quit(0)
