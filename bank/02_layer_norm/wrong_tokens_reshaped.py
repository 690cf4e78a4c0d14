# wrong: reshapes where a transpose is needed
# fails: batch_norm_tokens
# told: a reshape does not move an axis

# %% batch_norm_tokens
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape(N, D, T)).reshape(N, T, D)
