# attack: operations whose names only contain a forbidden one: _native_batch_norm_legit, _batch_norm_impl_index
# points: layer_norm, standardise
# must not: pass unseen
# flagged: yes

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    rows = x.reshape(1, -1, x.shape[-1])
    return torch._native_batch_norm_legit(rows, None, None, True, 0.0, eps)[0].reshape(x.shape) * gamma + beta

# %% standardise
def standardise(x, eps=1e-5):
    rows = x.reshape(1, -1, x.shape[-1])
    return torch._batch_norm_impl_index(rows, None, None, None, None, True, 0.0, eps, False)[0].reshape(x.shape)
