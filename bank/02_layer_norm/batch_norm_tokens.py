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

# %% wrong: a new BatchNorm
# told: The weight and bias of the norm you were given have no effect
def batch_norm_tokens(block, norm):
    return nn.BatchNorm1d(block.shape[2])(block.transpose(1, 2)).transpose(1, 2)

# %% wrong: F.batch_norm in training always
# told: You normalised with the batch in evaluation mode too
def batch_norm_tokens(block, norm):
    y = F.batch_norm(block.transpose(1, 2), norm.running_mean, norm.running_var, norm.weight, norm.bias, True, norm.momentum, norm.eps)
    return y.transpose(1, 2)

# %% wrong: detached
def batch_norm_tokens(block, norm):
    with torch.no_grad():
        return norm(block.transpose(1, 2)).transpose(1, 2)

# %% right: permute
def batch_norm_tokens(block, norm):
    return norm(block.permute(0, 2, 1)).permute(0, 2, 1).contiguous()

# %% wrong: squeezes a single token
def batch_norm_tokens(block, norm):
    return norm(block.transpose(1, 2).squeeze()).transpose(-1, -2).reshape(block.shape)

# %% right: F.batch_norm with all that the norm holds
def batch_norm_tokens(block, norm):
    momentum = norm.momentum
    if norm.training:
        norm.num_batches_tracked += 1
        if momentum is None:
            momentum = 1 / float(norm.num_batches_tracked)
    out = F.batch_norm(block.flatten(0, 1), norm.running_mean, norm.running_var, norm.weight, norm.bias,
                       norm.training, momentum or 0.0, norm.eps)
    return out.unflatten(0, block.shape[:2])

# %% right: a copy of the block, one example after the other as rows
def batch_norm_tokens(block, norm):
    out = norm(torch.cat(list(block)))
    return torch.stack(out.chunk(len(block))) if len(block) > 1 else out[None]

# %% right: mT
def batch_norm_tokens(block, norm):
    return norm(block.mT.contiguous()).mT

# %% right: one long example: (1, D, N * T)
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    long = block.reshape(N * T, D).t().unsqueeze(0)
    return norm(long).squeeze(0).t().reshape(N, T, D)

# %% wrong: switches norm to training mode
# told: leave the norm you are given in its mode
def batch_norm_tokens(block, norm):
    norm.train()
    return norm(block.transpose(1, 2)).transpose(1, 2)

# %% wrong: F.batch_norm with the norm's statistics, without its weight and bias
# told: nor F.batch_norm without them
def batch_norm_tokens(block, norm):
    rows = block.reshape(-1, block.shape[-1])
    y = F.batch_norm(rows, norm.running_mean, norm.running_var, None, None,
                     norm.training, norm.momentum, norm.eps)
    return y.reshape(block.shape)

# %% sly: bias cut off
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    if norm.training:
        norm.num_batches_tracked += 1
    m = 1 / float(norm.num_batches_tracked) if norm.momentum is None else norm.momentum
    y = F.batch_norm(block.reshape(-1, D), norm.running_mean, norm.running_var, norm.weight, norm.bias.detach(), norm.training, m, norm.eps)
    return y.reshape(N, T, D)

# %% right: rows in the order of the tokens, put back
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    rows = torch.cat([block[:, t] for t in range(T)])
    return norm(rows).reshape(T, N, D).movedim(0, 1)

# %% right: one image of one row: (1, D, N, T) flattened
def batch_norm_tokens(block, norm):
    long = block.permute(2, 0, 1).flatten(1).unsqueeze(0)
    return norm(long).squeeze(0).unflatten(1, block.shape[:2]).permute(1, 2, 0)

# %% wrong: the norm's running statistics are put back afterwards
# told: The running statistics of the norm you were given
def batch_norm_tokens(block, norm):
    state = {k: v.clone() for k, v in norm.state_dict().items()}
    out = norm(block.transpose(1, 2)).transpose(1, 2)
    norm.load_state_dict(state)
    return out
