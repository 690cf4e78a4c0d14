# wrong: mean of means
# fails: calibrate
# told: You averaged the means of the batches

# %% calibrate
def calibrate(bn, batches):
    batches = list(batches)
    x = torch.cat(batches)
    bn.running_mean.copy_(torch.stack([b.mean(0) for b in batches]).mean(0))
    bn.running_var.copy_(x.var(0))
    return bn
