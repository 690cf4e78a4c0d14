# right: lets the layer see all examples as one batch with momentum 1, then restores it

# %% calibrate
def calibrate(bn, batches):
    was_training, momentum, counted = bn.training, bn.momentum, bn.num_batches_tracked.clone()
    bn.train()
    bn.momentum = 1.0
    with torch.no_grad():
        bn(torch.cat([b for b in batches], dim=0))
    bn.momentum = momentum
    bn.num_batches_tracked.copy_(counted)
    bn.train(was_training)
    return bn
