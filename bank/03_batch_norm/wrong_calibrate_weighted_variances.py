# wrong: variances weighted by size
# fails: calibrate
# told: You weighted the batches' variances

# %% calibrate
def calibrate(bn, batches):
    batches = list(batches)
    n = sum(len(b) for b in batches)
    bn.running_mean.copy_(sum(b.sum(0) for b in batches) / n)
    bn.running_var.copy_(sum(len(b) * b.var(0) for b in batches) / n)
    return bn
