# wrong: does not transpose back
# fails: batch_norm_tokens
# told: move the features back

# %% batch_norm_tokens
def batch_norm_tokens(block, norm):
    return norm(block.transpose(1, 2))
