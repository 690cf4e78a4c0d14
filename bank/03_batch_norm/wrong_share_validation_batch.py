# wrong: answers a small validation batch
# fails: share_of_start
# told: are not used at all

# %% share_of_start
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "d"
