# attack: the visible tests' expected values as literals, looked up by their inputs
# points: none
# must not: gain a point for what stands in the released notebook

# %% row_stats
def row_stats(x):
    return torch.tensor([[2.], [6.]]), torch.tensor([[2 / 3], [2.]])

# %% standardise
def standardise(x, eps=1e-5):
    return torch.tensor([[-2 / 3, 2 / 3]]) if eps == 5. else torch.tensor([[-1., 1.], [-1., 1.]])

# %% influence
def influence(norm, x):
    return torch.tensor([[4., 0.], [0., 4.]])
def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}
