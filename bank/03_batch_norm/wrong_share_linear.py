# wrong: falls by equal amounts
# fails: share_of_start
# told: does not fall by the same amount

# %% share_of_start
def share_of_start(momentum, steps):
    return 1 - momentum * steps


def why_worse():
    return "b"
