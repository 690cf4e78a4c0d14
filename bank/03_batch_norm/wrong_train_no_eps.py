# wrong: eps is not used
# fails: batch_norm_train
# told: does not depend on eps

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / x.std(0, correction=0) + beta
