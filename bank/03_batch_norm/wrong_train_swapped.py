# wrong: gamma and beta are swapped
# fails: batch_norm_train
# told: gamma and beta are swapped

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return beta * (x - x.mean(0)) / torch.sqrt(x.var(0, correction=0) + eps) + gamma
