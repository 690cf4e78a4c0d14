# wrong: divides by the variance
# fails: batch_norm_train
# told: Divide by its square root

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.var(0, correction=0) + eps) + beta
