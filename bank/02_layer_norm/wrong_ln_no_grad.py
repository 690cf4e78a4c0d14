# wrong: takes the statistics under no_grad
# fails: layer_norm
# told: You cut the statistics off from the graph

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (var + eps).sqrt() + beta
