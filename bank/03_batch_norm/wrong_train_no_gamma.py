# wrong: gamma is forgotten
# fails: batch_norm_train
# told: gamma has no effect

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta
