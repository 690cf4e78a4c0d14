# wrong: stops after the first three tasks
# fails: normalise_over, RMSNorm, layer_norm_backward, standardise, batch_norm_tokens, influence
# told: TODO

# %% normalise_over
def normalise_over(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

# %% layer_norm_backward
def layer_norm_backward(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

# %% standardise
def standardise(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

# %% batch_norm_tokens
def batch_norm_tokens(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

# %% influence
def influence(*args, **options):
    raise NotImplementedError('TODO: write your solution here')

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        raise NotImplementedError('TODO: write your solution here')
