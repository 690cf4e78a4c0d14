# wrong: normalises each token
# fails: batch_norm_tokens
# told: that is layer norm

# %% batch_norm_tokens
def batch_norm_tokens(block, norm):
    return F.layer_norm(block, block.shape[-1:])
