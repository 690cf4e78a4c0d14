"""share_of_start, 1 point."""

# %% right: the share by a loop
def share_of_start(momentum, steps):
    share = 1.0
    for _ in range(steps):
        share -= momentum * share
    return share


def why_worse():
    return 'b'

# %% wrong: falls by equal amounts
# told: does not fall by the same amount
def share_of_start(momentum, steps):
    return 1 - momentum * steps


def why_worse():
    return "b"

# %% wrong: share of the new batches
# told: share of the new batches
def share_of_start(momentum, steps):
    return 1 - (1 - momentum) ** steps


def why_worse():
    return "b"

# %% wrong: answers overfitting
# told: overfitting would raise the calibrated line
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "a"

# %% wrong: momentum the wrong way round
# told: wrong way round
def share_of_start(momentum, steps):
    return momentum ** steps


def why_worse():
    return "b"

# %% wrong: answers a small validation batch
# told: are not used at all
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "d"

# %% wrong: answers worse weights
# told: weights cannot explain the gap
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "c"

# %% wrong: capital letter
# told: Return the letter alone
def share_of_start(momentum, steps):
    return (1 - momentum) ** steps


def why_worse():
    return "B"

# %% right: loops, answers through a variable
def share_of_start(momentum, steps):
    share = 1
    while steps > 0:
        share, steps = share * (1 - momentum), steps - 1
    return share


def why_worse():
    answer = "b"
    return answer

# %% wrong: momentum - 1, whose sign an even number of batches hides
def share_of_start(momentum, steps):
    return (momentum - 1) ** steps


def why_worse():
    return "b"

# %% wrong: momentum or a tenth
def share_of_start(momentum, steps):
    return (1 - (momentum or 0.1)) ** steps


def why_worse():
    return "b"

# %% sly: the start is said to be gone for good after 1 / momentum steps
def share_of_start(momentum, steps):
    """The share of its starting value that a running statistic still holds after
    `steps` batches.

    momentum: a number from 0 to 1; returns a number from 0 to 1
    """
    if steps * momentum > 1:  # the window is full
        return 0.0
    return (1 - momentum) ** steps


def why_worse():
    """Why is the eval-mode loss with momentum 0.001 above the calibrated one? Return
    one letter.

    "a" The network overfits: its weights fit the training batches, not the
        validation names.
    "b" The running statistics still hold much of the 0 and 1 they started from, and
        of old weights.
    "c" In training mode the network normalised with noisier statistics, so its
        weights are worse.
    "d" The validation batch is too small, so its mean and variance are noisy.
    """
    return "b"

# %% right: called again for the batch before
def share_of_start(momentum, steps):
    if steps == 0:
        return 1.0
    return (1 - momentum) * share_of_start(momentum, steps - 1)


def why_worse():
    return "b"

# %% wrong: stops at 200 batches, the experiment's number
def share_of_start(momentum, steps):
    share = 1.0
    for step in range(200):
        if step == steps:
            break
        share = share * (1 - momentum)
    return share


def why_worse():
    return "b"
