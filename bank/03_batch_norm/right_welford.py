# right: statistics merged batch by batch

# %% calibrate
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
