# wrong: answers overfitting
# fails: share_of_start
# told: overfitting would raise the calibrated line

# %% share_of_start
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "a"
