# wrong: std as written in the makemore lecture: unbiased and without eps
# fails: batch_norm_train
# told: You divided by N - 1

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0, keepdim=True)) / x.std(0, keepdim=True) + beta
