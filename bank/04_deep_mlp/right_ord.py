# right: arithmetic with ord and chr, tensors instead of lists

# %% encode
def encode(name):
    return tuple(ord(letter) - 96 for letter in name) + (0,)


def decode(ids):
    name = ""
    for i in ids:
        if not i:
            return name
        name += chr(96 + i)
    return name


# %% build_dataset
def build_dataset(names, context_size):
    parts = []
    for name in names:
        ids = torch.tensor([0] * context_size + [ord(letter) - 96 for letter in name] + [0])
        parts.append(ids.unfold(0, context_size + 1, 1))
    windows = torch.cat(parts)
    return windows[:, :-1], windows[:, -1]


# %% kaiming_std
def kaiming_std(fan_in, gain):
    return gain * fan_in ** -0.5


def kaiming_weight(noise, gain):
    fan_in, fan_out = noise.shape
    return noise.mul(gain).div(fan_in ** 0.5)
