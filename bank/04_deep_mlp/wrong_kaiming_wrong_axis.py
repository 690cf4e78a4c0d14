# wrong: reads the fan-in from dimension 1, as for nn.Linear
# fails: kaiming_std
# told: You read the fan from the wrong axis

# %% kaiming_std
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[1], gain)
