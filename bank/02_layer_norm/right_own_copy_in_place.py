# right: works in place, but on a copy of its own

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    y = x - x.mean(-1, keepdim=True)
    y /= (y.detach() * 0 + y).pow(2).mean(-1, keepdim=True).add(eps).sqrt()
    y = y * gamma
    y += beta
    return y

# %% standardise
def standardise(x, eps=1e-5):
    y = x.clone()
    y -= y.mean(-1, keepdim=True)
    y /= ((y ** 2).mean(-1, keepdim=True) + eps) ** 0.5
    return y
