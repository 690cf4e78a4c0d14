# attack: answers of nan and infinity, which compare with nothing
# points: none
# must not: have a comparison with nan taken for agreement

# %% row_stats
row_stats = lambda x: (torch.full((*x.shape[:-1], 1), torch.nan), torch.full((*x.shape[:-1], 1), torch.nan))

# %% standardise
standardise = lambda x, eps=1e-5: torch.full_like(x, torch.inf)

# %% layer_norm_backward
layer_norm_backward = lambda dy, x, gamma, eps: (x / 0, gamma * float("inf"), gamma * float("nan"))

# %% influence
influence = lambda norm, x: torch.full((len(x), len(x)), -torch.inf)
reading = lambda: float("nan")
