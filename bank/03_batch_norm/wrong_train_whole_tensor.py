# wrong: one mean and variance for everything
# fails: batch_norm_train
# told: whole tensor

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + beta
