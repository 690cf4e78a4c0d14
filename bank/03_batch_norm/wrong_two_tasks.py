# wrong: two tasks wrong at once
# fails: batch_norm_train, normalise
# told: You divided by N - 1

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta

# %% normalise
def normalise(x, gamma, beta, eps=1e-5):
    x = x.detach()
    return batch_norm_train(x, gamma, beta, eps)
