"""batch_norm_tokens, 1 point."""

# %% wrong: normalises each token
# told: that is layer norm
def batch_norm_tokens(block, norm):
    return F.layer_norm(block, block.shape[-1:])

# %% wrong: does not transpose back
# told: move the features back
def batch_norm_tokens(block, norm):
    return norm(block.transpose(1, 2))

# %% wrong: reshapes where a transpose is needed
# told: a reshape does not move an axis
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape(N, D, T)).reshape(N, T, D)

# %% wrong: copies the suspect
# told: The channels are still the token positions
def batch_norm_tokens(block, norm):
    return norm(block)
