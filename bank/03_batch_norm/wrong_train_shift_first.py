# wrong: beta is added before gamma multiplies
# fails: batch_norm_train
# told: You added beta before

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * ((x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta)
