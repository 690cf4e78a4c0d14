# wrong: changes its input
# fails: batch_norm_train
# told: You changed x in place

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    x -= x.mean(0)
    return gamma * x / torch.sqrt(x.square().mean(0) + eps) + beta
