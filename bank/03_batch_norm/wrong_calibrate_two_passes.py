# wrong: goes through an iterator twice
# fails: calibrate
# told: You went through the batches twice

# %% calibrate
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
