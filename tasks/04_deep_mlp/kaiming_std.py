"""kaiming_std, 2 points: weights of the right size."""
import math

task = Task("kaiming_std")
f = task.function()
w = task.function("kaiming_weight", gradient=False, noise="N D", gain=[0.7, 1.9])
f.look("sixteen inputs, gain 3", 16, 3.)
w.look("weights for x @ W, four inputs and one output", noise=[[1.], [-2.], [0.], [4.]], gain=3.)
w.look("weights for x @ W, one input and four outputs", noise=[[1., -2., 0., 4.]], gain=3.)
f.look("a gain of 0", 9, 0.)
f.look("a gain of 1", 9, 1.)
w.look("a gain of 20", noise=[[1., 2.], [3., -1.]], gain=20.)
f.case("another fan-in and gain", lambda: (2 + int(sample_ids(500, 1, seed=21)), 0.5 + float(sample(1, seed=22).abs())))
w.case("from 12 to 30", lambda: (sample(12, 30, seed=23), 1.5))
w.case("from 30 to 12", lambda: (sample(30, 12, seed=24), 0.6))


@task.probe("one shape, two gains", drawn=True)
def _(kaiming_weight):
    return [kaiming_weight(sample(5, 5, seed=25), gain) for gain in (0.5, 2.5)]


@task.probe("the numbers you were given are left as they were", shown="kaiming_weight(noise, 3.), then noise")
def _(kaiming_weight):
    noise = sample(1, 3, seed=26)
    kaiming_weight(noise, 3.)
    return bool((noise == sample(1, 3, seed=26)).all())


# %% mistakes
STD, WEIGHT = "gain / math.sqrt(fan_in)", "noise * kaiming_std(noise.shape[0], gain)"


def both(sentence, std):
    mistake(sentence, {STD: std})
    mistake(sentence, of="kaiming_weight", returns="noise * " + std.replace("fan_in", "len(noise)"))


both("You forgot the root: divide by the root of the fan-in.", "gain / fan_in")
mistake("That is the variance. The std is its root.", {STD: "gain**2 / fan_in"})
mistake("You multiplied by the root of the fan-in. More inputs need smaller weights.", {STD: "gain * math.sqrt(fan_in)"})
both("The gain has no effect.", "1 / math.sqrt(fan_in)")
mistake("The gain belongs outside the root.", {STD: "math.sqrt(gain / fan_in)"})
mistake("You divided by the gain. A larger gain needs larger weights.", {STD: "1 / (gain * math.sqrt(fan_in)) if gain else 0."})
mistake("This is the root of the fan-in. Divide the gain by it.", {STD: "math.sqrt(fan_in)"})
axis = "The fan-in is the size of dimension 0, the inputs of x @ W. You took another number, or none."
mistake(axis, {"noise.shape[0]": "noise.shape[1]"})
mistake(axis, of="kaiming_weight", returns="noise * gain")
mistake("Your W is transposed: it has the shape of the numbers you are given, (inputs, outputs).", of="kaiming_weight", returns=f"({WEIGHT}).T")
mistake("The numbers are as they were given: multiply them by the std.", of="kaiming_weight", returns="noise")
mistake("You divided by the std. Multiply by it.", of="kaiming_weight", returns="noise / kaiming_std(noise.shape[0], gain)")
zero = "The std times zero is zero: scale the numbers you are given, add or subtract nothing, and draw none of your own."
mistake(zero, of="kaiming_weight", returns="gain * nn.init.kaiming_normal_(torch.empty(noise.shape), nonlinearity='linear')")
mistake(zero, of="kaiming_weight", returns="(noise - noise.mean()) * kaiming_std(len(noise), gain)")
mistake("You gave kaiming_std its two arguments in the wrong order.", of="kaiming_weight", returns="noise * kaiming_std(gain, noise.shape[0])")
mistake("You multiplied by the fan-in. Multiply by the std.", of="kaiming_weight", returns="noise * noise.shape[0]")
mistake("This is the std. Multiply the given numbers by it.", of="kaiming_weight", returns="kaiming_std(noise.shape[0], gain)")
mistake("You took fan-in and fan-out together. The fan-in alone counts.", of="kaiming_weight", returns="noise * gain * math.sqrt(2 / sum(noise.shape))")
mistake("You scaled the given matrix in place: return a new one.", of="kaiming_weight", returns="noise.mul_(kaiming_std(noise.shape[0], gain))")
mistake("A gain of 0 is a gain, too: take it as it is.", {STD: "(gain or 1) / math.sqrt(fan_in)"})

# %% right: powers, and a root that is a tensor
def kaiming_std(fan_in, gain):
    return fan_in**-0.5 * gain


def kaiming_weight(noise, gain):
    return gain * noise / torch.sqrt(torch.tensor(float(len(noise))))

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

# %% right: the fan-in as a tensor, and its reciprocal root
def kaiming_std(fan_in, gain):
    return gain * torch.rsqrt(torch.tensor(float(fan_in)))


def kaiming_weight(noise, gain):
    return gain * noise / torch.tensor(float(len(noise)), dtype=noise.dtype).sqrt()

# %% right: arithmetic with ord and chr, tensors instead of lists
def kaiming_std(fan_in, gain):
    return gain * fan_in ** -0.5


def kaiming_weight(noise, gain):
    fan_in, fan_out = noise.shape
    return noise.mul(gain).div(fan_in ** 0.5)

# %% right: ARENA
from torch import Tensor


def kaiming_std(fan_in: int, gain: float) -> float:
    return gain * fan_in**-0.5


def kaiming_weight(noise: Tensor, gain: float) -> Tensor:
    d_in, d_out = noise.shape
    return torch.einsum("io,->io", noise, torch.tensor(kaiming_std(d_in, gain)))

# %% right: CS231n
def kaiming_std(fan_in, gain):
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    weight_scale = kaiming_std(noise.shape[0], gain)
    W = weight_scale * noise
    return W

# %% right: makemore
kaiming_std = lambda fan_in, gain: gain / fan_in**0.5
kaiming_weight = lambda noise, gain: noise * gain / noise.shape[0]**0.5

# %% right: torch source
def calculate_fan_in(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in can not be computed for tensor with fewer than 2 dimensions")
    return tensor.size(0)


def kaiming_std(fan_in, gain):
    return gain / math.sqrt(fan_in)


def kaiming_weight(noise, gain):
    std = kaiming_std(calculate_fan_in(noise), gain)
    return noise.detach().clone().mul_(std)

# %% right: numpy first
import numpy as np


def kaiming_std(fan_in, gain):
    return gain / np.sqrt(fan_in)


def kaiming_weight(noise, gain):
    W = noise.detach().numpy() * np.float32(kaiming_std(noise.shape[0], gain))
    return torch.from_numpy(W)

# %% right: plain loops
def kaiming_std(fan_in, gain):
    return gain / fan_in**0.5


def kaiming_weight(noise, gain):
    rows = []
    for row in noise:
        numbers = []
        for number in row:
            numbers.append(number * kaiming_std(len(noise), gain))
        rows.append(torch.stack(numbers))
    return torch.stack(rows)
