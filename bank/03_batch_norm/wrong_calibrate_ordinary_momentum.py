# wrong: a pass in training mode with the ordinary momentum
# fails: calibrate
# told: its momentum mixes in

# %% calibrate
def calibrate(bn, batches):
    mode = bn.training
    bn.train()
    with torch.no_grad():
        for batch in batches:
            bn(batch)
    bn.train(mode)
    return bn
