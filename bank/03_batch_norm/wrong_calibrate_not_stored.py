# wrong: computes and stores nothing
# fails: calibrate
# told: Nothing was stored

# %% calibrate
def calibrate(bn, batches):
    x = torch.cat(list(batches))
    running_mean, running_var = x.mean(0), x.var(0)
    return bn
