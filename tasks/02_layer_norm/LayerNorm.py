"""LayerNorm, 2 points: a layer that can replace torch's."""
import torch

task = Task("LayerNorm", by_hand="normalisation")
m = task.module(attributes=("weight", "bias"))
m.build(6, 0.5, takes=(6,))
m.build((2, 3), eps=1e-3, takes=(2, 3))
m.build(normalized_shape=(8,), eps=1e-3, bias=False, takes=(8,))
m.build((8,), 1e-5, False, takes=(8,))
m.build((2, 3, 1, 4), 0.5, True, True, takes=(2, 3, 1, 4))
m.build(8, 0, False, False, takes=(8,))
m.build(torch.Size([2, 4]), takes=(2, 4))

m.state("a fresh layer: weight starts at 1 and bias at 0, and both learn", 2)
m.state("without a bias", 2, bias=False)
m.state("without any parameters", 2, elementwise_affine=False)
w = dict(weight=[1., 2., 3.], bias=[4., -2., 1.])
m.look("one row, with a weight, a bias and an eps of 2", 3, eps=2., state=w, x=[[0., 3., 9.]])
m.look("a row without a bias", 3, eps=2., bias=False, x=[[0., 3., 9.]])
m.look("a row without any parameters", 3, eps=2., elementwise_affine=False, x=[[0., 3., 9.]])
m.look("two rows, and layer norm has no modes: the same in evaluation mode", 3, eps=2., state=w,
          x=[[0., 3., 9.], [1., 1., 4.]], evaluate=True)
m.look("two dimensions are normalised together", (2, 2), x=[[[1., 3.], [5., 7.]]])
m.look("an eps of 0 is taken as it is", 2, eps=0., x=[[0.001, 0.003]])
m.look("gradients of input, weight and bias", 2, eps=0.5, state=dict(weight=[2., 3.], bias=[0., 0.]),
          x=[[1., 3.]], pull=[[4., 5.]])

# %% mistakes
sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"
mistake("torch's names are weight and bias: with other names state dicts cannot be exchanged.",
        {"self.weight": "self.gamma", "self.bias": "self.beta"})
mistake("torch's names are weight and bias: with other names state dicts cannot be exchanged.",
        {"self.weight": "self.scale", "self.bias": "self.shift"})
mistake("No parameter is registered: wrap the tensors in nn.Parameter and assign them to self.weight and self.bias, in "
        "__init__, where elementwise_affine is True.", {"nn.Parameter(torch.ones(self.normalized_shape))": "torch.ones(self.normalized_shape)",
                                                        "nn.Parameter(torch.zeros(self.normalized_shape))": "torch.zeros(self.normalized_shape)"})
mistake("The layer has no parameters. Buffers are not trained: use nn.Parameter.",
        {"        self.weight = (": "        self.register_buffer('weight', ", "        self.bias = (": "        self.register_buffer('bias', ",
         "nn.Parameter(torch.ones(self.normalized_shape))": "torch.ones(self.normalized_shape)",
         "nn.Parameter(torch.zeros(self.normalized_shape))": "torch.zeros(self.normalized_shape)"})
mistake("Your weight starts at 0. Start it at 1, and multiply by it as it is (not 1 + weight).", {"torch.ones": "torch.zeros"})
mistake("Your weight starts at 0. Start it at 1, and multiply by it as it is (not 1 + weight).", {"torch.ones": "torch.zeros", "out * self.weight": "out * (1 + self.weight)"})
mistake("Your weight starts at random numbers. Start it at 1.", {"torch.ones(": "torch.randn("})
mistake("The parameters need one entry a feature: shape normalized_shape.", {"torch.ones(self.normalized_shape)": "torch.ones(1)", "torch.zeros(self.normalized_shape)": "torch.zeros(1)"})
mistake("A bias of 1 shifts the result: start the bias at 0.", {"torch.zeros": "torch.ones"})
mistake("bias=False still makes a bias.", {"elementwise_affine and bias": "elementwise_affine"})
mistake("elementwise_affine=False still makes a weight and a bias.", {"if elementwise_affine and bias": "if bias", "if elementwise_affine\n": "if True\n"})
mistake("elementwise_affine=False still makes a bias: without a weight there is no bias either.", {"elementwise_affine and bias": "bias"})
mistake("elementwise_affine=False still makes a weight.", {"if elementwise_affine\n": "if True\n"})
mistake("elementwise_affine is read the wrong way round: True makes the parameters, False does not.", {"if elementwise_affine": "if not elementwise_affine"})
mistake("What is absent should be None: set self.weight and self.bias in any case.", """
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
           super().__init__()
           self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
           self.eps = eps
           if elementwise_affine:
               self.weight = nn.Parameter(torch.ones(self.shape))
               if bias:
                   self.bias = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x):
           dims = tuple(range(-len(self.shape), 0))
           out = (x - x.mean(dims, keepdim=True)) / (x.var(dims, correction=0, keepdim=True) + self.eps).sqrt()
           out = out * self.weight if hasattr(self, "weight") else out
           return out + self.bias if hasattr(self, "bias") else out
""")
N = "out = (x - mean) / torch.sqrt(variance + self.eps)"
mistake("You divided by D - 1 in the variance. Layer norm uses the biased variance: divide by D.", variance="x.var(dims, keepdim=True)", see=details)
mistake("You divided by D - 1 in the variance, and added eps outside the root. Divide by D, and add eps first.", {N: "out = (x - mean) / (x.std(dims, keepdim=True) + self.eps)"}, see=details)
mistake("You divided by the standard deviation and did not subtract the mean.", {N: "out = x / torch.sqrt(variance + self.eps)"})
mistake("You divided by the variance. Divide by its square root.", {N: "out = (x - mean) / (variance + self.eps)"})
mistake("Is your eps inside the square root? You added it to the standard deviation.", {N: "out = (x - mean) / (variance.sqrt() + self.eps)"}, see=details)
mistake("An eps of 0 is an eps, too: take it as it is.", {"self.eps = eps": "self.eps = eps or 1e-5"})
eps = "The eps given to the layer changes nothing here: keep it in __init__, and let forward add that one to every variance, inside the root."
mistake(eps, {"self.eps = eps": "self.eps = 1e-5"}, see=details)
mistake(eps, {N: "out = (x - mean) / torch.sqrt(variance)"}, see=details)
mistake(eps, {N: "out = (x - mean) / variance.clamp(min=self.eps).sqrt()"}, see=details)
mistake("In evaluation mode eps has no effect: the layer's eps counts in both modes and for every row.",
        {N: "out = (x - mean) / torch.sqrt(variance + (self.eps if self.training else 1e-5))"})
mistake("The layer's weight has no effect: multiply by self.weight, the parameter itself.", {"out = out * self.weight": "pass"})
mistake("The layer's bias has no effect: add self.bias, the parameter itself.", {"out = out + self.bias": "pass"})
mistake("The layer's weight and bias have no effect: use self.weight and self.bias, the parameters themselves.",
        {"out = out * self.weight": "pass", "out = out + self.bias": "pass"})
mistake("You added the bias before you multiplied by the weight. Scale first, then shift.",
        {"out * self.weight": "(out + self.bias) * self.weight if self.bias is not None else out * self.weight", "out = out + self.bias": "pass"})
mistake("This is what the mean distance gives: average the squared distances.", variance="(x - mean).abs().mean(dims, keepdim=True)")
mistake("This is what the sum of the squared distances gives: divide it by D.", variance="(x - mean).square().sum(dims, keepdim=True)")
mistake("The squared distances are not averaged over the features: the variance of a row is one number.", variance="(x - mean).square()")
mistake("Your variance comes to zero here: did the distances from the mean cancel (square them before you average), did you take "
        "it over dim 0, or is it missing?", variance="(x - mean).mean(dims, keepdim=True).square()", see=sets)
mistake("You subtracted the sum of the row. The mean is the sum divided by D.", mean="x.sum(dims, keepdim=True)", variance="x.var(dims, correction=0, keepdim=True)")
mistake("You divided by the root of the mean square. Its distance from the mean counts, not the number itself.", variance="x.square().mean(dims, keepdim=True)")
mistake("You multiplied by the standard deviation. Divide by it.", {N: "out = (x - mean) * torch.sqrt(variance + self.eps)"})
mistake("You added the mean. Subtract it.", {N: "out = (x + mean) / torch.sqrt(variance + self.eps)"})
mistake("The sign of the normalised row is turned round: is it x - mean (not mean - x)?", {N: "out = (mean - x) / torch.sqrt(variance + self.eps)"})
mistake("You divided by the weight. Multiply by it.", {"out * self.weight": "out / self.weight"})
mistake("You added the weight. Multiply by it.", {"out * self.weight": "out + self.weight"})
mistake("You subtracted the bias. Add it.", {"out + self.bias": "out - self.bias"})
mistake("You normalised the last dimension alone. normalized_shape=(2, 2) names two.", dims="-1")
mistake("You normalised all dimensions but the first. normalized_shape says how many of the last ones.", dims="tuple(range(1, x.dim()))", see=sets)
mistake("You took one mean and variance for the whole tensor. Each row has its own: an int names one dimension.", dims="tuple(range(x.dim()))", see=sets)
mistake("You normalised the last dimensions one after the other. Take mean and variance jointly over all of them.",
        {N: "out = x\n        for d in dims:\n            out = (out - out.mean(d, keepdim=True)) / (out.var(d, correction=0, keepdim=True) + self.eps).sqrt()"})
mistake("normalized_shape may be an int: make a tuple of it first.", {"(normalized_shape,)": "normalized_shape"})
mistake("normalized_shape may be a tuple: its length says over how many of the last dimensions.", {"self.normalized_shape = tuple(normalized_shape)": "self.normalized_shape = (int(normalized_shape[0]) if len(normalized_shape) == 1 else int(normalized_shape),)"})
mistake("This is the gradient for constant statistics: they depend on x, so do not cut them off (detach, data, item or no_grad).",
        mean="x.mean(dims, keepdim=True).detach()", variance="(x - mean).square().mean(dims, keepdim=True).detach()")
mistake("No gradient flows through the variance: is it cut off (detach, data, item or no_grad), or not used?", variance="(x - mean).square().mean(dims, keepdim=True).detach()")
mistake("No gradient flows through the mean: is it cut off (detach, data, item or no_grad), or not used?", mean="x.mean(dims, keepdim=True).detach()")
mistake("No gradient reaches the input: is it cut off (detach, data, no_grad, a new tensor of it), or not used?", mean="(x := x.detach()).mean(dims, keepdim=True)")
cut = "No gradient reaches {}: are they cut off (detach, data, no_grad, requires_grad=False, a new nn.Parameter of them), or not used?"
mistake(cut.format("weight and bias"), {"out * self.weight": "out * self.weight.data", "out + self.bias": "out + self.bias.data"})
mistake(cut.format("weight and bias"), {"torch.ones(self.normalized_shape)": "torch.ones(self.normalized_shape), False", "torch.zeros(self.normalized_shape)": "torch.zeros(self.normalized_shape), False"})
mistake("No gradient reaches the weight: is it cut off (detach, data, no_grad, a new nn.Parameter of it), or not used?", {"out * self.weight": "out * self.weight.data"})
mistake("No gradient reaches the bias: is it cut off (detach, data, no_grad, a new nn.Parameter of it), or not used?", {"out + self.bias": "out + self.bias.data"})

# %% right: register_parameter for what is absent, statistics over flattened dimensions
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.k, self.eps = len(shape), eps
        self.register_parameter("weight", nn.Parameter(torch.ones(*shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(*shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        flat = x.flatten(-self.k)
        centred = flat - flat.mean(-1, keepdim=True)
        y = (centred / (centred.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()).view_as(x)
        weight = 1 if self.weight is None else self.weight
        return y * weight + (0 if self.bias is None else self.bias)

# %% right: register_parameter None, torch.Size
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = torch.Size([normalized_shape] if type(normalized_shape) is int else normalized_shape)
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        dims = [-i - 1 for i in range(len(self.normalized_shape))]
        mu = x.mean(dims, keepdim=True)
        var = x.var(dims, keepdim=True, correction=0)
        x = (x - mu) * (var + self.eps) ** -0.5
        w = 1 if self.weight is None else self.weight
        b = 0 if self.bias is None else self.bias
        return w * x + b

# %% right: reset_parameters, and its last x_hat kept to be looked at
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = torch.Size([normalized_shape] if isinstance(normalized_shape, int) else normalized_shape)
        self.eps, self.x_hat = eps, None
        self.weight = nn.Parameter(torch.empty(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.empty(self.normalized_shape)) if elementwise_affine and bias else None
        self.reset_parameters()

    def reset_parameters(self):
        for name, start in ("weight", 1), ("bias", 0):
            if getattr(self, name) is not None:
                nn.init.constant_(getattr(self, name), start)

    def forward(self, x):
        k = len(self.normalized_shape)
        rows = x.reshape(*x.shape[: x.dim() - k], -1)
        rows = rows - rows.mean(-1, keepdim=True)
        rows = rows / (rows.square().mean(-1, keepdim=True) + self.eps) ** 0.5
        self.x_hat = out = rows.reshape(x.shape)
        if self.weight is not None:
            out = out * self.weight
        return out if self.bias is None else out + self.bias

# %% right: drawn at random, then overwritten by where it starts
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.weight = self.bias = None
        if elementwise_affine and bias:
            self.bias = nn.Parameter(torch.randn(*shape))
            nn.init.zeros_(self.bias)
        if elementwise_affine:
            self.weight = nn.Parameter(torch.randn(*shape))
            nn.init.ones_(self.weight)
        self.dims, self.eps = [-i - 1 for i in range(len(shape))], eps

    def forward(self, x):
        var, mean = torch.var_mean(x, self.dims, correction=0, keepdim=True)
        y = (x - mean) * torch.rsqrt(var + self.eps)
        for name, step in ("weight", torch.mul), ("bias", torch.add):
            value = getattr(self, name)
            y = y if value is None else step(y, value)
        return y

# %% right: the work is in a function that is given the parameters
def normed(x, shape, weight, bias, eps):
    dims = list(range(x.dim() - len(shape), x.dim()))
    d = x - x.mean(dims, keepdim=True)
    y = d / ((d * d).mean(dims, keepdim=True) + eps).sqrt()
    if weight is not None and bias is not None:
        return torch.addcmul(bias, weight, y)
    return y if weight is None else weight * y


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else [*normalized_shape]
        given = {"weight": torch.ones, "bias": torch.zeros}
        for name, made in given.items():
            there = elementwise_affine and (bias or name == "weight")
            self.register_parameter(name, nn.Parameter(made(shape)) if there else None)
        self.shape, self.eps = shape, eps

    def forward(self, x):
        return normed(x, self.shape, self.weight, self.bias, self.eps)

# %% right: einsum over flattened features
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.size = torch.ones(shape).numel()
        self.eps = float(eps)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        rows = x.reshape(-1, self.size)
        rows = rows - torch.einsum("nd->n", rows).unsqueeze(1) / self.size
        variance = torch.einsum("nd,nd->n", rows, rows) / self.size
        rows = torch.einsum("nd,n->nd", rows, 1 / (variance + self.eps).sqrt())
        out = rows.reshape(x.shape)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)

# %% right: rows through a centring matrix, shape put back, its last input kept and its calls counted
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = torch.Size([normalized_shape] if isinstance(normalized_shape, int) else normalized_shape)
        self.shape, self.eps, self.calls, self.last = shape, eps, 0, None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None

    def forward(self, x):
        self.calls, self.last = self.calls + 1, x.detach()
        n = self.shape.numel()
        rows = x.reshape(-1, n)
        centre = torch.eye(n, dtype=x.dtype) - 1 / n
        rows = rows @ centre
        rows = rows @ centre
        y = (rows / (rows.pow(2).sum(1, keepdim=True) / n + self.eps) ** 0.5).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        return y if self.bias is None else y + self.bias

# %% right: one row after the other, a flat one or not, by a function of the weights
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        for name, number, wanted in (("weight", 1., True), ("bias", 0., bias)):
            full = torch.full(self.shape, number)
            self.register_parameter(name, nn.Parameter(full) if elementwise_affine and wanted else None)

    def one(self, block):
        c = block - block.mean()
        y = c / (c.square().mean() + self.eps).sqrt()
        y = y if self.weight is None else torch.mul(y, self.weight)
        return y if self.bias is None else torch.add(y, self.bias)

    def forward(self, x):
        if x.dim() == len(self.shape):
            return self.one(x)
        return torch.stack([self.forward(part) for part in x])

# %% right: ARENA
class LayerNorm(nn.Module):
    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.normalize_dims = tuple(range(-len(self.normalized_shape), 0))
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[-len(self.normalized_shape):] == self.normalized_shape
        mean = x.mean(dim=self.normalize_dims, keepdim=True)
        var = x.var(dim=self.normalize_dims, keepdim=True, unbiased=False)
        x = (x - mean) / (var + self.eps).sqrt()
        if self.weight is not None:
            x = x * self.weight
        if self.bias is not None:
            x = x + self.bias
        return x

    def extra_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}"

# %% right: CS231n
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if type(normalized_shape) is int:
            normalized_shape = (normalized_shape,)
        self.shape = tuple(normalized_shape)
        self.eps = eps
        self.weight = None
        self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(*self.shape))
            if bias:
                self.bias = nn.Parameter(torch.zeros(*self.shape))

    def forward(self, x):
        axes = tuple(range(x.ndim - len(self.shape), x.ndim))
        mu = torch.mean(x, axis=axes, keepdims=True)
        xmu = x - mu
        var = torch.mean(xmu ** 2, axis=axes, keepdims=True)
        out = xmu / torch.sqrt(var + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out

# %% right: makemore
class LayerNorm(nn.Module):

  def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
    super().__init__()
    dim = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    self.eps = eps
    self.dims = tuple(-1 - i for i in range(len(dim)))
    self.weight = nn.Parameter(torch.ones(dim)) if elementwise_affine else None
    self.bias = nn.Parameter(torch.zeros(dim)) if elementwise_affine and bias else None

  def forward(self, x):
    xmean = x.mean(self.dims, keepdim=True)
    xvar = x.var(self.dims, keepdim=True, unbiased=False)
    self.out = (x - xmean) / torch.sqrt(xvar + self.eps)
    if self.weight is not None: self.out = self.weight * self.out
    if self.bias is not None: self.out = self.out + self.bias
    return self.out

# %% right: torch source
import numbers


class LayerNorm(nn.Module):
    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if self.elementwise_affine:
            self.weight = nn.Parameter(torch.empty(self.normalized_shape))
            if bias:
                self.bias = nn.Parameter(torch.empty(self.normalized_shape))
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.elementwise_affine:
            nn.init.ones_(self.weight)
            if self.bias is not None:
                nn.init.zeros_(self.bias)

    def forward(self, input):
        dims = tuple(range(-len(self.normalized_shape), 0))
        var, mean = torch.var_mean(input, dim=dims, correction=0, keepdim=True)
        output = (input - mean) * torch.rsqrt(var + self.eps)
        if self.weight is not None:
            output = output * self.weight
        if self.bias is not None:
            output = output + self.bias
        return output

    def extra_repr(self) -> str:
        return "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}".format(
            **self.__dict__
        )

# %% right: numpy first
import numpy as np


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = tuple(int(n) for n in np.atleast_1d(normalized_shape))
        self.normalized_shape, self.eps = shape, eps
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.from_numpy(np.ones(shape, dtype=np.float32)))
        if elementwise_affine and bias:
            self.bias = nn.Parameter(torch.from_numpy(np.zeros(shape, dtype=np.float32)))

    def forward(self, x):
        axes = tuple(np.arange(-len(self.normalized_shape), 0).tolist())
        mean = x.mean(axis=axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
        y = (x - mean) / (variance + self.eps) ** 0.5
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y

# %% right: plain loops
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            self.shape = [normalized_shape]
        else:
            self.shape = list(normalized_shape)
        self.eps = eps
        self.weight = None
        self.bias = None
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(self.shape))
            if bias:
                self.bias = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x):
        pieces = []
        for piece in x.reshape([-1] + self.shape):
            mean = piece.mean()
            variance = ((piece - mean) ** 2).mean()
            out = (piece - mean) / torch.sqrt(variance + self.eps)
            if self.weight is not None:
                out = out * self.weight
            if self.bias is not None:
                out = out + self.bias
            pieces.append(out)
        return torch.stack(pieces).reshape(x.shape)
