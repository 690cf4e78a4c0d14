# wrong: the return is forgotten
# fails: batch_norm_train
# told: is there a `return`

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    y = gamma * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + beta
