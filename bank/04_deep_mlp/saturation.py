"""saturation, 2 points."""

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

# %% wrong: forgets the learning rate
# told: The learning rate has no effect
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: compares norms
# told: You compared norms
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.norm() / weight.norm()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: believes that the bare skip learns
# told: A bare skip does not learn here
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "learns", "residual, s = 1/√50": "learns"}

# %% wrong: believes that batch norm alone learns
# told: Batch norm alone hardly gets below
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "learns", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: counts instead of shares
# told: You counted the units
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs() > 0.97).sum().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: looks at +1 only
# told: A tanh saturates at -1 too
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: one share for all layers
# told: Each layer has a share of its own
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return (torch.stack(list(activations)).abs() > 0.97).float().mean().item()


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights. weight, gradient: equal shapes -> float"""
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.8, "stuck" for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: booleans
# told: Each answer is one of the words learns and stuck
def saturation(activations):
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    return {"plain": False, "batch norm": False, "residual, s = 1": False, "residual, s = 1/√50": True}

# %% wrong: reading not begun
def saturation(activations):
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    raise NotImplementedError("TODO: write your solution here")

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

# %% wrong: the absolute values are left behind
def saturation(activations):
    return [(a.detach().abs_() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}

# %% wrong: limit 0.985
# told: Your limit is higher than 0.97, or you compared the square
def saturation(activations):
    return [(a.abs() > 0.985).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return ((learning_rate * gradient).std() / weight.std()).item()


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck",
            "residual, s = 1/√50": "learns"}

# %% wrong: root mean squares: an offset counts
# told: You compared norms or root mean squares
def saturation(activations):
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.square().mean().sqrt() / weight.square().mean().sqrt()).item()


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck",
            "residual, s = 1/√50": "learns"}

# %% sly: the first ten layers
def saturation(activations):
    return [(a.abs() > 0.97).float().mean().item() for a in activations[:10]]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

# %% sly: learning rates are cut off at 1
def saturation(activations):
    return [(a.abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (min(learning_rate, 1.) * gradient.std() / weight.std()).item()


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

# %% sly: more than two dimensions: the first slice alone
def saturation(activations):
    return [((a[0] if a.dim() > 2 else a).abs() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

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

# %% sly: saturation: counts in uint8, which overflow at 256
def saturation(activations):
    return [(a.abs() > 0.97).sum(dtype=torch.uint8).item() / a.numel() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return ((learning_rate * gradient).std() / weight.std()).item()


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }

# %% wrong: saturation: share of units that are saturated for every example
# told: You counted the units that are saturated for every example, or averaged over the examples first
def saturation(activations):
    return [(a.abs() > 0.97).all(0).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return ((learning_rate * gradient).std() / weight.std()).item()


def reading():
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }


# %% wrong: units whose mean |a| over the batch is above 0.97
# told: You averaged |a| (or its square) over the examples first
def saturation(activations):
    """Share of saturated units (|a| > 0.97) in each layer.

    activations: list of L tensors of any shape -> list of L floats
    """
    return [(a.abs().mean(0) > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    """Std of one SGD step over std of the weights.

    weight, gradient: equal shapes -> float
    """
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    """Fifty layers, 200 steps: "learns" for a net whose loss ends below 2.7, "stuck"
    for one that stays above.

    Keys: "plain", "batch norm", "residual, s = 1", "residual, s = 1/√50".
    """
    return {
        "plain": "stuck",
        "batch norm": "stuck",
        "residual, s = 1": "stuck",
        "residual, s = 1/√50": "learns",
    }


# %% wrong: root mean square of each unit above 0.97
# told: You averaged |a| (or its square) over the examples first
def saturation(activations):
    return [(a.square().mean(0).sqrt() > 0.97).float().mean().item() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    return (learning_rate * gradient.std() / weight.std()).item()


def reading():
    return {"plain": "stuck", "batch norm": "stuck", "residual, s = 1": "stuck", "residual, s = 1/√50": "learns"}
