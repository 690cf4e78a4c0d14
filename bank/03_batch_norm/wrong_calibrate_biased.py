# wrong: biased variance
# fails: calibrate
# told: This is the biased variance

# %% calibrate
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    bn.running_mean.copy_(x.mean(0))
    bn.running_var.copy_(x.var(0, correction=0))
    return bn
