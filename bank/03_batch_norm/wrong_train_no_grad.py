# wrong: statistics under no_grad
# fails: batch_norm_train
# told: You cut the statistics off

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    with torch.no_grad():
        mean, var = x.mean(0), x.var(0, correction=0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
