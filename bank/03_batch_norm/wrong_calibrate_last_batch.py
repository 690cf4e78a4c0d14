# wrong: the last batch only
# fails: calibrate
# told: Only the last batch is left

# %% calibrate
def calibrate(bn, batches):
    for x in batches:
        bn.running_mean.copy_(x.mean(0))
        bn.running_var.copy_(x.var(0))
    return bn
