# wrong: share of the new batches
# fails: share_of_start
# told: share of the new batches

# %% share_of_start
def share_of_start(momentum, steps):
    return 1 - (1 - momentum) ** steps


def why_worse():
    return "b"
