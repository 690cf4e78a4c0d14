# wrong: statistics of the rows
# fails: batch_norm_train
# told: that is layer norm

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, correction=0, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
