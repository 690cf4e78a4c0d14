"""saturation, 2 points: two instruments, and a reading of the experiment."""
import torch

task = Task("saturation")
NAMES, WORDS = {"plain", "batch norm", "residual, s = 1", "residual, s = 1/√50"}, {"learns", "stuck"}
FOUR = [[[-0.99, -0.99], [0.5, 0.1]], [[1., 1.], [-0.98, 0.96]], [[0., 0.9], [-0.9, 0.5]], [[0.2, 0.3], [0.99, -0.99]]]


def numbers(answer):
    return torch.as_tensor(answer, dtype=torch.float32)


@task.probe("the share in each of four layers", shown=f"saturation of the tensors {', '.join(map(str, FOUR))}")
def _(saturation):
    return numbers(saturation([torch.tensor(layer) for layer in FOUR]))


r = task.function("update_ratio", gradient=False, weight="3 4", gradient_="3 4", learning_rate=[0.03, 2.])
r.look("the ratio of a step to the weights", weight=[[1., -1.], [3., -3.]], gradient_=[[5., -5.], [15., -15.]], learning_rate=0.01)
r.look("the std, not the size: an offset does not count", weight=[11., 9., 13., 7.], gradient_=[10., -10., 30., -30.], learning_rate=0.01)
r.case("three dimensions", lambda: (sample(2, 6, 4, seed=67) - 3, sample(2, 6, 4, seed=68), 0.5))


def layers():
    shapes = [(6, 8), (7,), (2, 3, 5), (40, 30)] * 3
    return [0.98 * ((sample_ids(41, *shape, seed=60 + k) - 20) / 10).clamp(-1, 1) for k, shape in enumerate(shapes)]


@task.probe("twelve layers of several shapes", drawn=True)
def _(saturation):
    return numbers(saturation(layers()))


@task.probe("what was measured is left as it was", [], otherwise="You changed what you were given in place. Make new tensors (abs, not abs_).")
def _(saturation, update_ratio):
    given, weight, gradient = layers(), sample(3, 4, seed=71), sample(3, 4, seed=72)
    saturation(given)
    update_ratio(weight, gradient, 0.1)
    same = all(torch.equal(*pair) for pair in zip(given, layers()))
    return ([] if same else ["activations"]) + [name for name, value, seed in (("weight", weight, 71), ("gradient", gradient, 72))
                                                if not torch.equal(value, sample(3, 4, seed=seed))]


def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == NAMES and set(answer.values()) <= WORDS


@task.probe("an answer for each of the four networks", where("a dict: each of the four names with one of the two words", is_answer),
            otherwise="Return a dict: each of the four names of the docstring with one of the words learns and stuck.", shown="reading()")
def _(reading):
    return reading()


@task.probe("your reading of the experiment", hidden=True, shown="reading()")
def _(reading):
    return reading()


# %% mistakes
def share(sentence, value):
    mistake(sentence, of="saturation", returns=value)


def ratio(sentence, value):
    mistake(sentence, of="update_ratio", returns=value)


EACH, S = "[{}.item() for a in activations]", "(learning_rate * gradient).std()"
share("A tanh saturates at -1 too: take the absolute value.", EACH.format("(a > 0.97).float().mean()"))
over = "You counted the units that are saturated for every example, or averaged over the examples first. Each activation counts by itself."
share(over, EACH.format("(a.abs() > 0.97).all(0).float().mean()"))
share(over, EACH.format("(a.mean(0).abs() > 0.97).float().mean()"))
share("This is twice the share of +1. Compare each |a| with 0.97, then average.", EACH.format("(2 * (a > 0.97).float().mean())"))
share("You averaged |a| (or its square) over the examples first. Compare each |a| with 0.97, then average.", EACH.format("(a.abs().mean(0) > 0.97).float().mean()"))
share("You averaged |a| (or its square) over the examples first. Compare each |a| with 0.97, then average.", EACH.format("(a.square().mean(0).sqrt() > 0.97).float().mean()"))
share("You counted the units. The share of them is wanted.", EACH.format("(a.abs() > 0.97).sum()"))
share("You gave the share that is not saturated.", EACH.format("(a.abs() <= 0.97).float().mean()"))
share("Each layer has a share of its own: you averaged over all of them.", "(torch.cat([a.flatten() for a in activations]).abs() > 0.97).float().mean().item()")
share("0.96 is counted, too. Count those with |a| above 0.97, not rounded.", EACH.format("(a.abs() >= 0.955).float().mean()"))
share("Your limit is higher than 0.97, or you compared the square with it. Compare the size of the activation with 0.97.", EACH.format("(a.abs() > 0.985).float().mean()"))
share("You counted all that are not zero, or your limit is far too low. Count those with |a| above 0.97.", EACH.format("(a != 0).float().mean()"))
share("There is one share for each layer that you are given, however many.", EACH.format("(a.abs() > 0.97).float().mean()").replace("activations]", "activations[:10]]"))
share("Every number of a layer counts, whatever its shape: take none of its slices alone.", EACH.format("((a[0] if a.dim() > 2 else a).abs() > 0.97).float().mean()"))
ratio("The learning rate has no effect: multiply the gradient, and nothing else, by it.", "(gradient.std() / weight.std()).item()")
ratio("This is the ratio of variances, the square of that of the stds. Take the stds.", f"({S}.square() / weight.var()).item()")
ratio("This is weights over step. It is the other way round.", f"(weight.std() / {S}).item()")
ratio("You multiplied by the std of the weights. Divide by it.", f"({S} * weight.std()).item()")
ratio("This is the std of the step. Divide it by that of the weights.", f"{S}.item()")
ratio("This is the std of the weights. It is the divisor.", "weight.std().item()")
ratio("You divided by the std of the gradient. The learning rate multiplies it.", "(learning_rate / gradient.std() * weight.std()).item()")
ratio("You added the learning rate. Multiply by it.", "((learning_rate + gradient.std()) / weight.std()).item()")
ratio("The gradient is missing: the step is the learning rate times the gradient.", "(learning_rate / weight.std()).item()")
ratio("You took the variance of the gradient. Take its std.", "(learning_rate * gradient.var() / weight.std()).item()")
ratio("You divided by the variance of the weights. Take their std.", f"({S} / weight.var()).item()")
ratio("You compared norms or root mean squares: an offset counts in them. Take the stds.", "(learning_rate * gradient.norm() / weight.norm()).item()")
ratio("You compared mean absolute values, or their sums. Take the stds.", "(learning_rate * gradient.abs().mean() / weight.abs().mean()).item()")
ratio("Take the learning rate as it is, whatever its size.", "(min(learning_rate, 1.) * gradient.std() / weight.std()).item()")
mistake("You changed the activations in place. Make new tensors (abs, not abs_).", {"a.abs()": "a.abs_()"})
mistake("You scaled the gradient in place. Make a new tensor.", of="update_ratio", returns="(gradient.mul_(learning_rate).std() / weight.std()).item()")
PLAIN, BN, SKIP, SCALED = '"plain": "stuck"', '"batch norm": "stuck"', '"residual, s = 1": "stuck"', '"residual, s = 1/√50": "learns"'
LEARNS = {text: text.replace("stuck", "learns") for text in (PLAIN, BN, SKIP)}
mistake("A bare skip does not learn here: fifty branches of size one pile up on the stream. Look at its loss again.", {SKIP: LEARNS[SKIP]})
mistake("Batch norm alone hardly gets below the unigram table. Look at its loss again.", {BN: LEARNS[BN]})
mistake("Neither batch norm nor a bare skip learns here. Look at their losses again.", {BN: LEARNS[BN], SKIP: LEARNS[SKIP]})
mistake("You have the two words the wrong way round.", {**LEARNS, SCALED: SCALED.replace("learns", "stuck")})
mistake("The plain net does not learn here. Look at its loss again.", {PLAIN: LEARNS[PLAIN]})
mistake("One of the four does learn: look for the loss that ends lowest.", {SCALED: SCALED.replace("learns", "stuck")})
mistake("These are not the four names of the docstring (mind the √ in the last one).", {"√": "sqrt "})
mistake("Each answer is one of the words learns and stuck.", {': "stuck"': ": False", ': "learns"': ": True"})

# %% right: the ratio from centred root mean squares, counts divided by sizes
def spread(values):
    return ((values - values.mean()) ** 2).mean() ** 0.5


def saturation(activations):
    return [int((a ** 2 > 0.97 ** 2).sum()) / a.numel() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    new = weight - learning_rate * gradient
    return float(spread(new - weight) / spread(weight))


def reading():
    answer = dict.fromkeys(["plain", "batch norm", "residual, s = 1"], "stuck")
    answer["residual, s = 1/√50"] = "learns"
    return answer

# %% right: counts with sum
def saturation(activations):
    out = []
    for t in activations:
        out.append(torch.sum(torch.abs(t) > 0.97).item() / t.numel())
    return tuple(out)


def update_ratio(weight, gradient, learning_rate):
    return float((learning_rate * gradient.data).std() / weight.data.std())


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% right: counts by hand, stds by numpy's rule
def saturation(activations):
    return [int(torch.count_nonzero((a > 0.97) | (a < -0.97))) / a.numel() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    step = (learning_rate * gradient).double()
    return float(step.flatten().var().sqrt() / weight.double().flatten().var().sqrt())


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% right: numbers one by one, stds by torch.var
def saturation(activations):
    shares = []
    for a in activations:
        numbers = a.flatten().tolist()
        shares.append(sum(1 for n in numbers if n > 0.97 or n < -0.97) / len(numbers))
    return shares


def update_ratio(weight, gradient, learning_rate):
    step = learning_rate * gradient.detach()
    return (step.var() / weight.detach().var()).sqrt().item()


def reading():
    return {"residual, s = 1/√50": "learns", "residual, s = 1": "stuck",
            "batch norm": "stuck", "plain": "stuck"}

# %% right: endless by itertools.chain over repeated iterations; shares as tensors
def saturation(activations):
    return torch.stack([torch.mean(((a > 0.97) | (a < -0.97)).double()) for a in activations])


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient).std(correction=0) / weight.std(correction=0)


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% right: ARENA
from torch import Tensor


def saturation(activations: list[Tensor]) -> list[float]:
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight: Tensor, gradient: Tensor, learning_rate: float) -> float:
    assert weight.shape == gradient.shape
    return ((learning_rate * gradient).std() / weight.std()).item()


def reading() -> dict[str, str]:
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

# %% right: CS231n
def saturation(activations):
    fractions = []
    for a in activations:
        num_saturated = torch.sum(torch.abs(a) > 0.97)
        fractions.append(float(num_saturated) / a.numel())
    return fractions


def update_ratio(weight, gradient, learning_rate):
    update = -learning_rate * gradient
    update_scale = torch.std(update)
    param_scale = torch.std(weight)
    return float(update_scale / param_scale)


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

# %% right: makemore
def saturation(activations):
  return [(t.abs() > 0.97).float().mean().item() for t in activations]

def update_ratio(p, grad, lr):
  return (lr*grad.std() / p.data.std()).item()

def reading():
  return {'plain': 'stuck', 'batch norm': 'stuck', 'residual, s = 1': 'stuck', 'residual, s = 1/√50': 'learns'}

# %% right: torch source
def saturation(activations):
    return [
        torch.count_nonzero(activation.abs() > 0.97).item() / activation.numel()
        for activation in activations
    ]


def update_ratio(weight, gradient, learning_rate):
    return (gradient.mul(learning_rate).std() / weight.std()).item()


def reading():
    answer = dict.fromkeys(["plain", "batch norm", "residual, s = 1"], "stuck")
    answer["residual, s = 1/√50"] = "learns"
    return answer

# %% right: numpy first
import numpy as np


def saturation(activations):
    return [float(np.mean(np.abs(a.detach().numpy()) > 0.97)) for a in activations]


def update_ratio(weight, gradient, learning_rate):
    step = learning_rate * gradient.detach().numpy()
    return float(np.std(step) / np.std(weight.detach().numpy()))


def reading():
    names = ["plain", "batch norm", "residual, s = 1", "residual, s = 1/√50"]
    return dict(zip(names, ["stuck", "stuck", "stuck", "learns"]))

# %% right: plain loops
def saturation(activations):
    shares = []
    for a in activations:
        count = 0
        numbers = a.flatten().tolist()
        for number in numbers:
            if number > 0.97 or number < -0.97:
                count += 1
        shares.append(count / len(numbers))
    return shares


def std(numbers):
    mean = sum(numbers) / len(numbers)
    total = 0
    for number in numbers:
        total += (number - mean) ** 2
    return (total / (len(numbers) - 1)) ** 0.5


def update_ratio(weight, gradient, learning_rate):
    step = [learning_rate * number for number in gradient.flatten().tolist()]
    return std(step) / std(weight.flatten().tolist())


def reading():
    answer = {}
    answer["plain"] = "stuck"
    answer["batch norm"] = "stuck"
    answer["residual, s = 1"] = "stuck"
    answer["residual, s = 1/√50"] = "learns"
    return answer
