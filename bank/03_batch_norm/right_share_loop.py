# right: the share by a loop

# %% share_of_start
def share_of_start(momentum, steps):
    share = 1.0
    for _ in range(steps):
        share -= momentum * share
    return share


def why_worse():
    return 'b'
