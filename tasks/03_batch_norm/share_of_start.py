"""share_of_start, 1 point: what a running statistic remembers, and a reading of the picture."""
task = Task("share_of_start")
f = task.function(again=False)
f.look("after two batches with momentum 0.1", 0.1, 2)
f.look("after three batches with momentum 0.5", 0.5, 3)
f.look("before the first batch", 0.1, 0)
f.look("momentum 0 keeps all", 0, 5)
f.look("momentum 1 keeps nothing", 1, 3)
f.look("200 batches, as in the experiment", 0.01, 200)
f.look("500 batches with momentum 0.001", 0.001, 500)
f.case("another momentum and number of batches",
       lambda: ((1 + int(sample_ids(40, 1, seed=151))) / 100, 3 + 2 * int(sample_ids(10, 1, seed=152))))


@task.probe("one of the four letters", where("one of the letters a, b, c and d", lambda letter: letter in ("a", "b", "c", "d")),
            otherwise='Return the letter alone, in lower case: "a" and not "A" or a sentence.', shown="why_worse()")
def _(why_worse):
    return why_worse()


@task.probe("why eval mode is worse with momentum 0.001", hidden=True, shown="why_worse()")
def _(why_worse):
    return why_worse()


# %% mistakes
S = dict(of="share_of_start")
mistake("This is the share of the new batches. The start holds the rest.", **S, returns="1 - (1 - momentum) ** steps")
mistake("Your momentum is the wrong way round: a batch replaces a share `momentum` of what was there.", **S, returns="momentum ** steps")
mistake("The share does not fall by the same amount each time: it is multiplied by 1 - momentum.", **S, returns="1 - momentum * steps")
mistake("That is the share after one batch.", **S, returns="1 - momentum")
mistake("You multiplied by the number of steps. Each batch multiplies once more: take the power.", **S, returns="(1 - momentum) * steps")
mistake("The share grows here. Each batch takes a share momentum away: 1 - momentum is left of it.", **S, returns="(1 + momentum) ** steps")
mistake("Your share changes its sign: it is 1 - momentum that is left, not momentum - 1.", **S, returns="(momentum - 1) ** steps")
mistake("A momentum of 0 is a number like any other: then nothing moves.", **S, returns="(1 - (momentum or 0.1)) ** steps")
mistake("The start is never gone altogether: each batch leaves 1 - momentum of it.", **S, returns="(1 - momentum) ** steps if steps * momentum <= 1 else 0.0")
mistake("The number of batches counts, however large it is.", **S, returns="(1 - momentum) ** min(steps, 200)")
mistake("is there a `return`? share_of_start gives None.", **S, returns="None")
W = dict(of="why_worse")
mistake("All three lines belong to the same weights: overfitting would raise the calibrated line as well.", **W, returns='"a"')
mistake("All three lines belong to the same weights, so the weights cannot explain the gap.", **W, returns='"c"')
mistake("In eval mode the validation batch's own mean and variance are not used at all.", **W, returns='"d"')
mistake('Return the letter alone, in lower case: "a" and not "A" or a sentence.', **W, returns='"B"')

# %% right: ARENA
def share_of_start(momentum: float, steps: int) -> float:
    assert 0 <= momentum <= 1
    return (1 - momentum) ** steps


def why_worse() -> str:
    return "b"

# %% right: CS231n
def share_of_start(momentum, steps):
    return (1.0 - momentum) ** steps


def why_worse():
    answer = "b"
    return answer

# %% right: makemore
share_of_start = lambda momentum, steps: (1 - momentum)**steps
why_worse = lambda: 'b'

# %% right: torch source
def share_of_start(momentum, steps):
    return torch.pow(torch.tensor(1.0 - momentum), steps)


def why_worse():
    return "b"

# %% right: numpy first
import numpy as np


def share_of_start(momentum, steps):
    return float(np.prod(np.full(steps, 1 - momentum)))


def why_worse():
    return "abcd"[1]

# %% right: plain loops
def share_of_start(momentum, steps):
    share = 1
    for step in range(steps):
        share = share * (1 - momentum)
    return share


def why_worse():
    return "b"

# %% right: the share by a loop
def share_of_start(momentum, steps):
    share = 1.0
    for _ in range(steps):
        share -= momentum * share
    return share


def why_worse():
    return 'b'

# %% right: called again for the batch before
def share_of_start(momentum, steps):
    if steps == 0:
        return 1.0
    return (1 - momentum) * share_of_start(momentum, steps - 1)


def why_worse():
    return "b"
