# wrong: mean of variances
# fails: calibrate
# told: You averaged the variances of the batches

# %% calibrate
def calibrate(bn, batches):
    batches = list(batches)
    bn.running_mean.copy_(torch.cat(batches).mean(0))
    bn.running_var.copy_(torch.stack([b.var(0) for b in batches]).mean(0))
    return bn
