# wrong: a pass in training mode with momentum None
# fails: calibrate
# told: You averaged the means of the batches

# %% calibrate
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
