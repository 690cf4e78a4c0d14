# wrong: momentum the wrong way round
# fails: share_of_start
# told: wrong way round

# %% share_of_start
def share_of_start(momentum, steps):
    return momentum ** steps


def why_worse():
    return "b"
