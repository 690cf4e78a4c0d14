# right: the variance as mean of squares minus squared mean

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    mean = x.mean(0)
    variance = (x.square().mean(0) - mean.square()).clamp(min=0)
    scale = gamma / torch.sqrt(variance + eps)
    return x * scale + (beta - mean * scale)
