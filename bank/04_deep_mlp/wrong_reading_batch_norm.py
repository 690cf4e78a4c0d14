# wrong: believes that batch norm alone learns
# fails: saturation
# told: Batch norm alone hardly gets below

# %% saturation
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
