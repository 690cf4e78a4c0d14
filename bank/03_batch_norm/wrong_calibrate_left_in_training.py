# wrong: leaves the layer in training mode
# fails: calibrate
# told: You left the layer in training mode

# %% calibrate
def calibrate(bn, batches):
    bn.train()
    momentum = bn.momentum
    bn.momentum = 1.0
    with torch.no_grad():
        bn(torch.cat(list(batches)))
    bn.momentum = momentum
    return bn
