# wrong: answers worse weights
# fails: share_of_start
# told: weights cannot explain the gap

# %% share_of_start
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "c"
