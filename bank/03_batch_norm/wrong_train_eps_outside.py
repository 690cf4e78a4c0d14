# wrong: eps added to the standard deviation
# fails: batch_norm_train
# told: Is your eps inside the square root

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / (x.std(0, correction=0) + eps) + beta
