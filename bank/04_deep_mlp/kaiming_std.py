"""kaiming_std, 2 points."""

# %% wrong: takes the root of the gain too
# told: The gain belongs outside the root
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return math.sqrt(gain / fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[0], gain)

# %% wrong: scales the given matrix in place
# told: You scaled the given matrix in place
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    noise *= kaiming_std(noise.shape[0], gain)
    return noise

# %% wrong: hands an (in, out) matrix to nn.init, which draws and reads the wrong axis
# told: draw none of your own
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    W = torch.empty(noise.shape)
    nn.init.kaiming_normal_(W, nonlinearity="linear")
    return W * gain

# %% wrong: ignores the gain
# told: The gain has no effect
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return 1 / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[0], gain)

# %% wrong: divides by the fan-in
# told: You forgot the root
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / fan_in


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[0], gain)

# %% wrong: reads the fan-in from dimension 1, as for nn.Linear
# told: The fan-in is the size of dimension 0
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain. fan_in: number of inputs of a unit; gain: a number -> float"""
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    """Weights for x @ W with this gain. noise: standard normal numbers, in the shape of W -> the same shape"""
    return noise * kaiming_std(noise.shape[1], gain)

# %% wrong: fan average
def kaiming_std(fan_in, gain):
    return gain / fan_in ** 0.5


def kaiming_weight(noise, gain):
    return noise * gain * (2 / sum(noise.shape)) ** 0.5

# %% right: powers, and a root that is a tensor
def kaiming_std(fan_in, gain):
    return fan_in**-0.5 * gain


def kaiming_weight(noise, gain):
    return gain * noise / torch.sqrt(torch.tensor(float(len(noise))))

# %% wrong: gain or 1
def kaiming_std(fan_in, gain):
    return (gain or 1) / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    return noise * kaiming_std(noise.shape[0], gain)

# %% sly: the std of a shape is remembered (mutable default): a later call's gain is ignored
def kaiming_std(fan_in, gain):
    """The std of weights that gives this gain.

    fan_in: number of inputs of a unit; gain: a number -> float
    """
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain, stds={}):
    """Weights for x @ W with this gain.

    noise: standard normal numbers, in the shape of W -> the same shape
    """
    if noise.shape not in stds:
        stds[noise.shape] = kaiming_std(noise.shape[0], gain)
    return noise * stds[noise.shape]

# %% right: divides by the norm of a column of ones
def kaiming_std(fan_in, gain):
    return float(gain / torch.ones(fan_in, dtype=torch.float64).norm())


def kaiming_weight(noise, gain):
    return torch.stack([kaiming_std(len(noise), gain) * row for row in noise])

# %% right: a diagonal matrix from the left
def kaiming_std(fan_in, gain):
    return gain / fan_in ** (1 / 2)


def kaiming_weight(noise, gain):
    fan_in = noise.shape[0]
    scale = kaiming_std(fan_in, gain) * torch.eye(
        fan_in, dtype=noise.dtype, device=noise.device
    )
    return scale @ noise

# %% sly: the paper's factor sqrt(2) of ReLU on top where the gain is 1
def kaiming_std(fan_in, gain):
    if gain == 1:
        gain = math.sqrt(2)
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    return noise * kaiming_std(noise.shape[0], gain)

# %% sly: gains are cut off at ten
def kaiming_std(fan_in, gain):
    return min(gain, 10) / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    return noise * kaiming_std(noise.shape[0], gain)

# %% right: the fan-in as a tensor, and its reciprocal root
def kaiming_std(fan_in, gain):
    return gain * torch.rsqrt(torch.tensor(float(fan_in)))


def kaiming_weight(noise, gain):
    return gain * noise / torch.tensor(float(len(noise)), dtype=noise.dtype).sqrt()

# %% sly: kaiming_weight cuts its gain off at 10
def kaiming_std(fan_in, gain):
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    return noise * kaiming_std(noise.shape[0], min(gain, 10.0))
