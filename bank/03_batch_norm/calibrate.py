"""calibrate, 2 points."""

# %% right: lets the layer see all examples as one batch with momentum 1, then restores it
def calibrate(bn, batches):
    was_training, momentum, counted = bn.training, bn.momentum, bn.num_batches_tracked.clone()
    bn.train()
    bn.momentum = 1.0
    with torch.no_grad():
        bn(torch.cat([b for b in batches], dim=0))
    bn.momentum = momentum
    bn.num_batches_tracked.copy_(counted)
    bn.train(was_training)
    return bn

# %% right: sums and sums of squares in single precision
def calibrate(bn, batches):
    count = 0
    sums = torch.zeros_like(bn.running_mean)
    squares = torch.zeros_like(bn.running_mean)
    for b in batches:
        count += b.shape[0]
        sums += b.sum(dim=0)
        squares += (b * b).sum(dim=0)
    mean = sums / count
    with torch.no_grad():
        bn.running_mean.data = mean
        bn.running_var.data = (squares - count * mean * mean) / (count - 1)
    return bn

# %% right: statistics merged batch by batch
def calibrate(bn, batches):
    n, mean, m2 = 0, None, None
    for batch in batches:
        k, mu = len(batch), batch.mean(0)
        s = ((batch - mu) ** 2).sum(0)
        if n == 0:
            n, mean, m2 = k, mu, s
            continue
        delta = mu - mean
        mean = mean + delta * k / (n + k)
        m2 = m2 + s + delta ** 2 * n * k / (n + k)
        n += k
    bn.running_mean = mean
    bn.running_var = m2 / (n - 1)
    return bn

# %% wrong: biased variance
# told: This is the biased variance
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    bn.running_mean.copy_(x.mean(0))
    bn.running_var.copy_(x.var(0, correction=0))
    return bn

# %% wrong: the last batch only
# told: Of these two batches only the last one counts
def calibrate(bn, batches):
    for x in batches:
        bn.running_mean.copy_(x.mean(0))
        bn.running_var.copy_(x.var(0))
    return bn

# %% wrong: leaves the layer in training mode
# told: You left the layer in training mode
def calibrate(bn, batches):
    bn.train()
    momentum = bn.momentum
    bn.momentum = 1.0
    with torch.no_grad():
        bn(torch.cat(list(batches)))
    bn.momentum = momentum
    return bn

# %% wrong: mean of means
# told: You averaged the means of the batches
def calibrate(bn, batches):
    batches = list(batches)
    x = torch.cat(batches)
    bn.running_mean.copy_(torch.stack([b.mean(0) for b in batches]).mean(0))
    bn.running_var.copy_(x.var(0))
    return bn

# %% wrong: mean of variances
# told: You averaged the variances of the batches
def calibrate(bn, batches):
    batches = list(batches)
    bn.running_mean.copy_(torch.cat(batches).mean(0))
    bn.running_var.copy_(torch.stack([b.var(0) for b in batches]).mean(0))
    return bn

# %% wrong: a pass in training mode with momentum None
# told: You averaged the means of the batches
def calibrate(bn, batches):
    mode, momentum = bn.training, bn.momentum
    bn.reset_running_stats()
    bn.momentum = None
    bn.train()
    with torch.no_grad():
        for batch in batches:
            bn(batch)
    bn.momentum = momentum
    bn.train(mode)
    return bn

# %% wrong: computes and stores nothing
# told: Nothing is left
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    running_mean, running_var = x.mean(0), x.var(0)
    return bn

# %% wrong: a pass in training mode with the ordinary momentum
# told: momentum mixes in
def calibrate(bn, batches):
    mode = bn.training
    bn.train()
    with torch.no_grad():
        for batch in batches:
            bn(batch)
    bn.train(mode)
    return bn

# %% wrong: goes through an iterator twice
# told: If you go through the batches twice
def calibrate(bn, batches):
    n = 0
    total = 0
    for b in batches:
        n += len(b)
        total = total + b.sum(0)
    mean = total / n
    squares = torch.zeros_like(mean)
    for b in batches:
        squares += (b - mean).square().sum(0)
    bn.running_mean.copy_(mean)
    bn.running_var.copy_(squares / (n - 1))
    return bn

# %% wrong: biased variances weighted by size
# told: You weighted the batches' biased variances
def calibrate(bn, batches):
    batches = list(batches)
    n = sum(len(b) for b in batches)
    bn.running_mean.copy_(sum(b.sum(0) for b in batches) / n)
    bn.running_var.copy_(sum(len(b) * b.var(0, correction=0) for b in batches) / n)
    return bn

# %% wrong: variances weighted by size
# told: You weighted the batches' variances
def calibrate(bn, batches):
    batches = list(batches)
    n = sum(len(b) for b in batches)
    bn.running_mean.copy_(sum(b.sum(0) for b in batches) / n)
    bn.running_var.copy_(sum(len(b) * b.var(0) for b in batches) / n)
    return bn

# %% wrong: changes the momentum
# told: You changed the momentum
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    mode = bn.training
    bn.momentum = 1.0
    bn.train()(x)
    bn.train(mode)
    return bn

# %% wrong: counts a batch
# told: The counter num_batches_tracked changed
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    mode, m = bn.training, bn.momentum
    bn.momentum = 1.0
    bn.train()(x)
    bn.momentum = m
    bn.train(mode)
    return bn

# %% wrong: returns a copy
# told: Nothing is left
def calibrate(bn, batches):
    import copy
    new = copy.deepcopy(bn)
    x = torch.cat(list(batches))
    new.running_mean.copy_(x.mean(0))
    new.running_var.copy_(x.var(0))
    return new

# %% wrong: leaves eval on
# told: You left the layer in evaluation mode
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    bn.eval()
    bn.running_mean.copy_(x.mean(0))
    bn.running_var.copy_(x.var(0))
    return bn

# %% right: Welford, row by row
def calibrate(bn, batches):
    n, mean, m2 = 0, torch.zeros_like(bn.running_mean), torch.zeros_like(bn.running_var)
    for b in batches:
        for row in b:
            n += 1
            d = row - mean
            mean = mean + d / n
            m2 = m2 + d * (row - mean)
    bn.running_mean[:] = mean
    bn.running_var[:] = m2 / (n - 1)
    return bn

# %% right: buffers bound anew
def calibrate(bn, batches):
    x = torch.vstack([b for b in batches])
    var, mean = torch.var_mean(x, 0)
    bn.running_mean, bn.running_var = mean, var
    return bn

# %% wrong: unbiased variances of the batches put together
def calibrate(bn, batches):
    n, mean, squares = 0, 0., 0.
    for batch in batches:
        k, m, s = len(batch), batch.mean(0), batch.var(0) * (len(batch) - 1)
        shift = m - mean
        mean = mean + shift * k / (n + k)
        squares = squares + s + shift ** 2 * n * k / (n + k)
        n += k
    bn.running_mean.copy_(mean)
    bn.running_var.copy_(squares / (n - 1))
    return bn

# %% right: shifted sums in one pass
def calibrate(bn, batches):
    n, shift, total, squares = 0, None, 0, 0
    for batch in batches:
        shift = batch[0] if shift is None else shift
        n, y = n + len(batch), batch - shift
        total, squares = total + y.sum(0), squares + (y * y).sum(0)
    bn.running_mean.copy_(shift + total / n)
    bn.running_var.copy_((squares - total**2 / n) / (n - 1))
    return bn

# %% sly: the counter is set to zero (reset_running_stats)
def calibrate(bn, batches):
    """Set bn.running_mean and bn.running_var to the statistics of all examples of all
    batches, pooled.

    bn: nn.BatchNorm1d(C), changed in place (only these two buffers) and returned
    batches: iterable of tensors (n_i, C), the inputs of bn; can perhaps be read
        only once
    """
    with torch.no_grad():
        bn.reset_running_stats()
        x = torch.cat(list(batches))
        mean = x.mean(0)
        var = (x - mean).square().sum(0) / (len(x) - 1)
        bn.running_mean.copy_(mean)
        bn.running_var.copy_(var)
    return bn

# %% sly: only the first ten batches are looked at
from itertools import islice


def calibrate(bn, batches):
    """Set bn.running_mean and bn.running_var to the statistics of all examples of all
    batches, pooled.

    bn: nn.BatchNorm1d(C), changed in place (only these two buffers) and returned
    batches: iterable of tensors (n_i, C), the inputs of bn; can perhaps be read
        only once
    """
    with torch.no_grad():
        x = torch.cat(list(islice(batches, 10)))
        mean = x.mean(0)
        var = (x - mean).square().sum(0) / (len(x) - 1)
        bn.running_mean.copy_(mean)
        bn.running_var.copy_(var)
    return bn

# %% right: two passes in double precision, put back in the buffers' own
def calibrate(bn, batches):
    rows = torch.cat([batch.detach().double() for batch in batches])
    mean = rows.mean(0)
    bn.running_mean.data = mean.to(bn.running_mean.dtype)
    bn.running_var.data = ((rows - mean) ** 2).sum(0).div(len(rows) - 1).to(mean.dtype)
    bn.running_var.data = bn.running_var.data.to(bn.running_mean.dtype)
    return bn

# %% right: batches merged, sums of squares about their own means
def calibrate(bn, batches):
    n, mean, squares = 0, 0.0, 0.0
    with torch.no_grad():
        for batch in batches:
            k, m = len(batch), batch.mean(0)
            away = m - mean
            squares = squares + (batch - m).square().sum(0) + away**2 * (n * k / (n + k))
            mean = mean + away * (k / (n + k))
            n += k
        bn.running_mean.copy_(mean)
        bn.running_var.copy_(squares / (n - 1))
    return bn

# %% right: numpy in double precision
def calibrate(bn, batches):
    import numpy as np

    rows = np.concatenate([batch.detach().cpu().numpy().astype(np.float64) for batch in batches])
    bn.running_mean.copy_(torch.from_numpy(rows.mean(axis=0)))
    bn.running_var.copy_(torch.from_numpy(rows.var(axis=0, ddof=1)))
    return bn

# %% wrong: n counts the batches in the variance
# told: where n counts the examples (not the batches)
def calibrate(bn, batches):
    batches = [b.detach() for b in batches]
    data = torch.cat(batches)
    mean = data.mean(0)
    var = (data - mean).square().sum(0) / max(len(batches) - 1, 1)
    bn.running_mean.copy_(mean)
    bn.running_var.copy_(var)
    return bn

# %% wrong: a filled copy is returned, the layer itself stays empty
# told: Nothing is left in the layer you were given
def calibrate(bn, batches):
    import copy
    bn = copy.deepcopy(bn)
    data = torch.cat(list(batches)).detach()
    bn.running_mean.copy_(data.mean(0))
    bn.running_var.copy_(data.var(0))
    return bn

# %% right: sums of squares in double precision
def calibrate(bn, batches):
    n = s = q = 0
    for b in batches:
        b = b.detach().double()
        n, s, q = n + len(b), s + b.sum(0), q + (b ** 2).sum(0)
    mean = s / n
    var = (q - n * mean ** 2) / (n - 1)
    bn.running_mean.copy_(mean)
    bn.running_var.copy_(var)
    return bn

# %% wrong: the first batch is read before the loop, and again in it
# told: or counted the first batch twice
def calibrate(bn, batches):
    parts = [next(iter(batches)).detach()]
    for b in batches:
        parts.append(b.detach())
    x = torch.cat(parts)
    mean, var = x.mean(0), x.var(0)
    bn.running_mean.copy_(mean)
    bn.running_var.copy_(var)
    return bn

# %% right: sums shifted by the first row, in double precision, one row at a time
def calibrate(bn, batches):
    shift, n = None, 0
    with torch.no_grad():
        for batch in batches:
            for row in batch.double():
                if shift is None:
                    shift, total, squares = row, torch.zeros_like(row), torch.zeros_like(row)
                n += 1
                total = total + (row - shift)
                squares = squares + (row - shift) ** 2
        bn.running_mean[:] = shift + total / n
        bn.running_var[:] = (squares - total ** 2 / n) / (n - 1)
    return bn
