# wrong: copies the suspect
# fails: standardise
# told: Two bugs remain

# %% standardise
def standardise(x, eps=1e-5):
    mean = x.mean(-1)
    std = x.std(-1)
    return (x - mean) / (std + eps)
