# wrong: divides by the fan-in
# fails: kaiming_std
# told: You forgot the root

# %% kaiming_std
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / fan_in


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[0], gain)
