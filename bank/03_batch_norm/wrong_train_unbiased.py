# wrong: std(0), which divides by N - 1
# fails: batch_norm_train
# told: You divided by N - 1

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta
