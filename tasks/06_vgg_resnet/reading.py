"""reading, 2 points: the first step below a bound, and what the experiment says."""
import torch

task = Task("reading")
f = task.function("steps_until")
CURVE = [3.5, 3., 2., 1., 1.5, 0.5, 1.2, 1.1, 0.3, 0.25, 0.27, 0.2, 0.26]
BARS = ("plain, 8 layers, 100 steps", "plain, 32 layers, 100 steps", "residual, 32 layers, 100 steps", "plain, 20 layers, 400 steps")

f.look("a loss of at most 1, for the first time", torch.tensor(CURVE), 1.)
f.look("a bound that is never reached", torch.tensor(CURVE), 0.1)
f.look("a bound that holds from the start", torch.tensor(CURVE), 4.)
f.look("a bound that the very last loss reaches", torch.tensor([3., 0.6, 0.6, 0.]), 0.5)
f.look("a bound of 0 is a bound, too", torch.tensor([5., 1., 4., 2., 0., -1.]), 0.)
f.look("the first time, though a later loss is nearer to the bound", torch.tensor([5., 1., 4., 2., 0., -1.]), 2.)


def curve(number):
    def make():
        noisy = sample(40, seed=260 + number).cumsum(0)
        return noisy, noisy[10 + number :].min().item() + 0.01

    f.case(f"a drawn curve, {number}", make)
    f.case(f"a drawn curve that never is, {number}", lambda: (make()[0], make()[0].min().item() - 1))


for number in range(3):
    curve(number)


def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == set(BARS)


@task.probe("four answers, each one of two words", where("a dict: each of the four keys with learned or behind",
                                                         lambda a: is_answer(a) and set(a.values()) <= {"learned", "behind"}), shown="reading()",
            otherwise='Copy the four keys from the docstring, and add no others. Answer with "learned" or "behind", in lower case.')
def _(reading):
    return reading()


@task.probe("one of the four letters", where("one of the letters a, b, c and d", lambda letter: letter in ("a", "b", "c", "d")), shown="what_for()",
            otherwise='Return the letter alone, in lower case: one of "a", "b", "c", "d".')
def _(what_for):
    return what_for()


@task.probe("what the bars show", hidden=True, shown="reading()")
def _(reading):
    return reading()


@task.probe("what the skip is for in this experiment", hidden=True, shown="what_for()")
def _(what_for):
    return what_for()


# %% mistakes
U, LIST = dict(of="steps_until"), "losses.tolist()"
LOOP = "        if loss <= bound:\n            return step\n"
past = ("You went past losses[3], which is 1: is a loss that equals the bound left out (at most, not below), are losses averaged, or did you take another one than "
        "the first?")
mistake("One step too many. Do you count from 1 (losses[0] was measured after 0 steps), or average several losses (each counts as it is)?",
        {"enumerate(losses.tolist())": "enumerate(losses.tolist(), 1)"})
mistake(past, {LIST: "torch.cat([losses[:1], losses.unfold(0, 2, 1).mean(1)]).tolist()"})
mistake("One step too few: losses[3] is the first that is at most 1.", {"return step\n": "return step - 1\n"})
mistake(past, {"loss <= bound": "loss < bound"})
mistake(past, {LIST: "torch.cat([losses[:2], losses.unfold(0, 3, 1).mean(1)]).tolist()"})
stay = "You went past the first loss that is at most 1: does it have to stay there, or are losses averaged? The first time counts, and each loss as it is."
mistake(stay, {"if loss <= bound": "if max(losses[step:]) <= bound"})
mistake(stay, {"if loss <= bound": "if max(losses[step : step + 2]) <= bound"})
mistake(stay, {LOOP: "        pass\n    import bisect\n    step = bisect.bisect_left([-loss for loss in losses.tolist()], -bound)\n    return step if step < len(losses) else None\n"})
mistake("That is where the loss is smallest.", {"return step\n": "return int(losses.argmin())\n"})
mistake("You counted the losses above the bound, or sorted them: they count in the order in which they came.", {LIST: "losses.sort(descending=True).values.tolist()"})
mistake("So many losses are at most 1 (and losses[7] is the last above it). Return after how many steps the first one comes that is at most 1.",
        {"return step\n": "return int((losses <= bound).sum())\n"})
mistake("You took the loss that is nearest to the bound from below. The first one counts.",
        {"return step\n": "return losses.tolist().index(max(loss for loss in losses.tolist() if loss <= bound))\n"})
mistake("You returned the loss. Return the number of steps.", {"return step\n": "return loss\n"})
none = "You returned None, but losses[3] is 1. Is there a return where the bound is reached, none before it, and are the losses taken as they are?"
mistake(none, {"return step\n": "step\n"})
mistake(none, {LOOP: LOOP + "        return None\n"})
mistake(none, {LOOP: "        mean = loss if step == 0 else 0.9 * mean + 0.1 * loss\n        if mean <= bound:\n            return step\n"})
mistake("0 would mean that it was reached before the first step: return None.", **U, returns="0")
mistake("Return None where the bound is never reached.", **U, returns="len(losses)")
mistake("Return None where the bound is never reached.", **U, returns="step")
mistake("Return None where the bound is never reached.", **U, returns="-1")
mistake("Do you compare each loss with the bound by <=, the last one, too?", {LIST: "losses[:-1].tolist()"})
mistake("Compare each loss with the bound, as it is: not rounded, averaged or left out.", {"loss <= bound": "round(loss) <= round(bound)"})
mistake("Compare each loss with the bound, as it is: not rounded, averaged or left out.",
        {LIST: "losses.unfold(0, 3, 1).mean(-1).tolist()"})
mistake("A bound of 0 is a bound, too: do not ask whether it is true.", {"    for step, loss": "    bound = bound or min(losses)\n    for step, loss"})
BAR = ['"plain, 8 layers, 100 steps": ', '"plain, 32 layers, 100 steps": ', '"residual, 32 layers, 100 steps": ', '"plain, 20 layers, 400 steps": ']
L, H = '"learned"', '"behind"'
mistake("Look at the last bar: with four times the steps the plain network arrives.", {BAR[3] + L: BAR[3] + H})
mistake("Look at the plain network of 32 layers: after 100 steps far more than one in ten of the digits it learns from are wrong.", {BAR[1] + H: BAR[1] + L})
mistake("The residual network of 32 layers has learned in 100 steps.", {BAR[2] + L: BAR[2] + H})
mistake("The plain network of 8 layers has learned in 100 steps.", {BAR[0] + L: BAR[0] + H})
mistake("Copy the four keys from the docstring, and add no others: each is kind, layers, steps.", {"        \"plain, 20 layers, 400 steps\": \"learned\",\n": ""})
mistake('Answer with "learned" or "behind", in lower case.', {'": "learned"': '": "Learned"', '": "behind"': '": "Behind"'})
mistake("It can express it: a deep network could copy the shallow one, and with 400 steps it does learn.", {'return "c"': 'return "a"'})
mistake("Overfitting would show as a low training error. These are training errors, and they are high.", {'return "c"': 'return "b"'})
mistake("The last bar says otherwise: 20 plain layers learn, given 400 steps.", {'return "c"': 'return "d"'})
mistake('Return the letter alone, in lower case: one of "a", "b", "c", "d".', {'return "c"': 'return "C"'})

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

# %% right: ARENA
def steps_until(losses: torch.Tensor, bound: float) -> int | None:
    assert losses.ndim == 1
    below = losses <= bound
    return int(below.int().argmax()) if below.any() else None


def reading() -> dict[str, str]:
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for() -> str:
    return "c"

# %% right: CS231n
def steps_until(losses, bound):
    num_steps = losses.shape[0]
    for t in range(num_steps):
        if losses[t] <= bound:
            return t
    return None


def reading():
    answers = {}
    for kind, depth, steps, word in [
        ("plain", 8, 100, "learned"),
        ("plain", 32, 100, "behind"),
        ("residual", 32, 100, "learned"),
        ("plain", 20, 400, "learned"),
    ]:
        answers["%s, %d layers, %d steps" % (kind, depth, steps)] = word
    return answers


def what_for():
    return "c"

# %% right: makemore
def steps_until(lossi, bound):
    return next((i for i, l in enumerate(lossi) if l <= bound), None)


def reading():
    return {"plain, 8 layers, 100 steps": "learned", "plain, 32 layers, 100 steps": "behind", "residual, 32 layers, 100 steps": "learned", "plain, 20 layers, 400 steps": "learned"}


def what_for():
    return "c"

# %% right: torch source
def steps_until(losses: torch.Tensor, bound: float):
    index = torch.nonzero(losses <= bound).flatten()
    return None if index.numel() == 0 else int(index[0].item())


def reading():
    return {
        "plain, 8 layers, 100 steps": "learned",
        "plain, 32 layers, 100 steps": "behind",
        "residual, 32 layers, 100 steps": "learned",
        "plain, 20 layers, 400 steps": "learned",
    }


def what_for():
    return "c"

# %% right: numpy first
import numpy as np


def steps_until(losses, bound):
    where_below = np.flatnonzero(losses.detach().numpy() <= bound)
    return int(where_below[0]) if where_below.size else None


def reading():
    answer = dict.fromkeys(
        ["plain, 8 layers, 100 steps", "residual, 32 layers, 100 steps",
         "plain, 20 layers, 400 steps"],
        "learned",
    )
    answer["plain, 32 layers, 100 steps"] = "behind"
    return answer


def what_for():
    return "c"

# %% right: plain loops
def steps_until(losses, bound):
    step = 0
    for loss in losses:
        if loss.item() <= bound:
            return step
        step = step + 1
    return None


def reading():
    answer = {}
    answer["plain, 8 layers, 100 steps"] = "learned"
    answer["plain, 32 layers, 100 steps"] = "behind"
    answer["residual, 32 layers, 100 steps"] = "learned"
    answer["plain, 20 layers, 400 steps"] = "learned"
    return answer


def what_for():
    return "c"
