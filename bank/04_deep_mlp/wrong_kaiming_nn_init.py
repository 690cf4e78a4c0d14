# wrong: hands an (in, out) matrix to nn.init, which draws and reads the wrong axis
# fails: kaiming_std
# told: You drew numbers of your own

# %% kaiming_std
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    W = torch.empty(noise.shape)
    nn.init.kaiming_normal_(W, nonlinearity="linear")
    return W * gain
