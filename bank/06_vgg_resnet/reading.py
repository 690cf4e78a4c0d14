"""reading, 2 points."""

# %% right: a dictionary made of a default
def steps_until(losses, bound):
    reached = (losses <= bound).nonzero()
    return int(reached[0]) if len(reached) else None


def reading():
    answer = {f"plain, {depth} layers, {steps} steps": "learned" for depth, steps in ((8, 100), (20, 400))}
    answer["residual, 32 layers, 100 steps"] = "learned"
    answer["plain, 32 layers, 100 steps"] = "behind"
    return answer


def what_for():
    return "c"

# %% right: argmax of a comparison, guarded
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    hit = losses <= bound
    return hit.int().argmax().item() if hit.any() else None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: behind: plain 20 layers 400 steps
# told: Look at the last bar
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "behind",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: behind: residual 32 layers 100 steps
# told: The residual network of 32
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "behind",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: behind: plain 8 layers 100 steps
# told: The plain network of 8
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "behind",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: learned: plain 32
# told: Look at the plain network of 32
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "learned",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: letter a
# told: It can express it
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "a"

# %% wrong: letter b
# told: Overfitting would show
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "b"

# %% wrong: letter d
# told: The last bar says otherwise
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "d"

# %% wrong: a capital letter
# told: in lower case
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "C"

# %% wrong: a sentence
# told: Return the letter alone
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "it buys speed"

# %% wrong: other words
# told: in lower case
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "Learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "Learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "Learned",
        "plain, 20 layers, 400 steps": "Learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: yes and no
# told: Answer with
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "yes" if less than 10 % of the training digits are wrong,
    "no" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "yes",
        "plain, 32 layers, 100 steps": "no",
        "residual, 32 layers, 100 steps": "yes",
        "plain, 20 layers, 400 steps": "yes",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: a key too few
# told: Copy the four keys
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: counts from one
# told: Do you count from 1
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist(), start=1):
        if loss <= bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: below instead of at most
# told: at most, not below
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss < bound:
            return step
    return None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: for good instead of the first time
# told: You went past the first loss
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    above = [step for step, loss in enumerate(losses.tolist()) if loss > bound]
    if len(above) == len(losses):
        return None
    return above[-1] + 1 if above else 0


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: the smallest loss
# told: where the loss is smallest
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    return int(losses.argmin())


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: 0 where it never is
# told: 0 would mean
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    return int((losses <= bound).int().argmax())


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: the number of losses where it never is
# told: Return None where
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return len(losses)


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% wrong: the number of losses below
# told: So many losses are at most 1
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    """
    return int((losses <= bound).sum()) or None


def reading():
    """For each key "learned" if less than 10 % of the training digits are wrong,
    "behind" if it is more."""
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"

# %% right: by nonzero of a comparison
def steps_until(losses, bound):
    places = (losses <= bound).nonzero()
    return places[0].item() if len(places) else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: a tensor for the number
def steps_until(losses, bound):
    places = torch.nonzero(losses <= bound)
    return places[0, 0] if len(places) else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: a bound of 0 is taken for none
def steps_until(losses, bound):
    bound = bound or losses.min().item()
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return step
    return None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: next with a default, one comparison of tensors at a time
def steps_until(losses, bound):
    return next((step for step, loss in enumerate(losses) if loss <= bound), None)


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: guarded by the smallest loss
def steps_until(losses, bound):
    losses = losses.nan_to_num(nan=torch.inf, posinf=torch.inf, neginf=-torch.inf)
    if losses.min() > bound:
        return None
    step = 0
    while losses[step] > bound:
        step += 1
    return step


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: how many running minima lie above the bound
def steps_until(losses, bound):
    losses = losses.where(losses == losses, torch.inf)
    above = int((losses.cummin(0).values > bound).sum())
    return above if above < losses.numel() else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: by numpy
import numpy as np


def steps_until(losses, bound):
    places = np.flatnonzero(losses.numpy() <= bound)
    return int(places[0]) if places.size else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: smallest index of a set, recursion-free minimum with a default
def steps_until(losses, bound):
    return min((i for i in range(len(losses)) if losses[i].item() <= bound), default=None)


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: binary search, as if the losses only fell
# told: You went past the first loss
def steps_until(losses, bound):
    import bisect
    step = bisect.bisect_left([-loss for loss in losses.tolist()], -bound)
    return step if step < len(losses) else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: two losses in a row are asked for
# told: You went past the first loss
def steps_until(losses, bound):
    values = losses.tolist()
    for step, loss in enumerate(values):
        if loss <= bound and (step + 1 == len(values) or values[step + 1] <= bound):
            return step


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: losses are smoothed first
# told: are the losses taken as they are
def steps_until(losses, bound):
    mean = None
    for step, loss in enumerate(losses.tolist()):
        mean = loss if mean is None else 0.9 * mean + 0.1 * loss
        if mean <= bound:
            return step


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: counts the losses above the bound
# told: You counted the losses above the bound, or sorted them
def steps_until(losses, bound):
    above = int((losses > bound).sum())
    return above if above < len(losses) else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: a mean of two losses has to reach the bound
# told: are losses averaged
def steps_until(losses, bound):
    smooth = torch.cat([losses[:1], (losses[1:] + losses[:-1]) / 2])
    for step, loss in enumerate(smooth.tolist()):
        if loss <= bound:
            return step


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% sly: found by an equal loss elsewhere: index of the first value that is near the bound
def steps_until(losses, bound):
    values = losses.tolist()
    below = [value for value in values if value <= bound]
    return values.index(max(below)) if below else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: losses counted while they are not at most the bound
from itertools import takewhile


def steps_until(losses, bound):
    before = sum(1 for _ in takewhile(lambda loss: not loss <= bound, losses.tolist()))
    return None if before == len(losses) else before


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: steps_until: smoothed over three losses first
# told: Compare each loss with the bound, as it is: not rounded, averaged or left out.
def steps_until(losses, bound):
    smooth = losses.unfold(0, 3, 1).mean(-1)
    hits = (smooth <= bound).nonzero().flatten()
    return int(hits[0]) if len(hits) else None


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% wrong: one step too few
# told: One step too few
def steps_until(losses, bound):
    """Steps after which the loss is at most `bound` for the first time.

    losses: (steps,) tensor, losses[i] after i steps -> int, or None if it never is
    (one that is not a number never is)
    """
    for step, loss in enumerate(losses.tolist()):
        if loss <= bound:
            return max(step - 1, 0)
    return None


def reading():
    """A dict: "learned" where less than 10 % of the training digits are wrong, else
    "behind".

    Keys: "plain, 8 layers, 100 steps", "plain, 32 layers, 100 steps", "residual, 32
    layers, 100 steps" and "plain, 20 layers, 400 steps".
    """
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    """What does this experiment say about the skip? Return one letter.

    "a" A deep plain network is too weak: it cannot express what a shallow one can.
    "b" A deep plain network overfits, and the skip is a form of regularisation.
    "c" With batch norm in both, the skip makes a deep network learn in fewer steps.
    "d" Without the skip gradients vanish, so that a plain network of 20 layers does
        not learn, however long it is trained.
    """
    return "c"
