# wrong: copies the suspect
# fails: batch_norm_tokens
# told: The channels are still the token positions

# %% batch_norm_tokens
def batch_norm_tokens(block, norm):
    return norm(block)
