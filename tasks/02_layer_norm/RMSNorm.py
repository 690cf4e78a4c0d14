"""RMSNorm, 2 points: the norm that subtracts nothing."""
task = Task("RMSNorm", by_hand="normalisation")
m = task.module()
m.build(8, takes=(8,))
m.build(6, 0.5, takes=(6,))
m.build(d_model=5, eps=1e-3, takes=(5,))

m.state("one parameter, weight, that starts at 1", 2)
m.look("three rows", 3, x=[[2., 3., 6.], [20., 30., 60.], [1., 5., 1.]])
m.look("more than one leading dimension", 2, x=[[[2., 3.], [2., 4.]], [[1., 4.], [6., 6.]], [[5., 7.], [1., 9.]]])
m.look("with a weight, and an eps of 8", 3, eps=8., state=dict(weight=[1., 2., 3.]), x=[[3., 3., 0.6]])
m.look("no modes: the same in evaluation mode", 3, eps=8., state=dict(weight=[1., 2., 3.]), x=[[3., 3., 0.6]], evaluate=True)
m.look("small numbers, and the eps that it has unless told: 1e-6", 2, x=[[0.001, 0.003]])
m.look("gradients reach weight and input", 2, eps=0.5, state=dict(weight=[2., 3.]), x=[[1., 3.]], pull=[[4., 5.]])

# %% mistakes
axis = "02#the-axis-that-must-not-disappear"; sets = "02#which-numbers-share-a-mean"; details = "02#what-people-get-wrong"
MS, OUT, LAST = "x.square().mean(dim=-1, keepdim=True)", "self.weight * {}", "mean_square + self.eps"
root = "x / (mean_square + self.eps).sqrt()"
P = "self.weight = nn.Parameter(torch.ones(d_model))"
mistake("Leave the bias out: RMSNorm has a weight alone.", {P: P + "; self.bias = nn.Parameter(torch.zeros(d_model))"})
mistake("No parameter is registered: wrap the weight in nn.Parameter and assign it to self.weight, in __init__.",
        {P: "self.weight = torch.ones(d_model)"})
mistake("The weight is a buffer, which no optimiser moves: use nn.Parameter.", {P: "self.register_buffer('weight', torch.ones(d_model))"})
mistake("Name the parameter weight, as torch does.", {"self.weight": "self.gamma"})
zeros = "Your weight starts at 0. Start it at 1, and multiply by it as it is (not 1 + weight)."
mistake(zeros, {"torch.ones": "torch.zeros"})
mistake(zeros, {"torch.ones": "torch.zeros", "self.weight * x": "(1 + self.weight) * x"})
mistake("The weight has one number for each feature: shape (d_model,).", {"torch.ones(d_model)": "torch.ones(1)"})
mistake("You divided by the length of the row: the mean of the squares is missing its 1/D.", mean_square="x.square().sum(dim=-1, keepdim=True)")
mistake("You subtracted the mean: that is layer norm. RMSNorm subtracts nothing.",
        {MS: "(x := x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)"}, see=sets)
mistake("You divided by the mean square. Take its root.", returns=OUT.format("x / (mean_square + self.eps)"))
mistake("You divided by the standard deviation, which subtracts the mean. Average the squares of x itself.",
        mean_square="x.var(-1, correction=0, keepdim=True)")
mistake("You divided by the standard deviation with D - 1. Average the squares of x itself.", mean_square="x.var(-1, keepdim=True)", see=details)
sizes = "You divided by the mean of the numbers, or of their sizes. Root, mean, square: read the name backwards."
mistake(sizes, returns=OUT.format("x / (x.mean(-1, keepdim=True) + self.eps)"))
mistake(sizes, returns=OUT.format("x / (x.abs().mean(-1, keepdim=True) + self.eps)"))
mistake("You averaged over the rows (dim 0). Each row has a root mean square of its own.", mean_square="x.square().mean(0)", see=sets)
mistake("You took one root mean square for the whole tensor. Each row has its own.", mean_square="x.square().mean()", see=sets)
mistake("The root mean square is paired with the columns, not with its own row: keep its last dimension (keepdim=True).",
        mean_square="x.square().mean(-1)", see=axis)
mistake("You averaged over dim 1. The features are the last dimension: use dim=-1.", mean_square="x.square().mean(1, keepdim=True)")
mistake("You averaged over more than the features of one token.", mean_square="x.square().mean(tuple(range(1, x.dim())), keepdim=True)")
mistake("You multiplied where you should divide.", returns=OUT.format("x * (mean_square + self.eps).sqrt()"))
mistake("Only ones: did you divide each number by its own size, or is x missing? Average the squares first, the root mean square of "
        "a row is one number.", mean_square="x.square()")
roots = "You took the root of the mean of the numbers, or of their sizes. Square them before you average."
mistake(roots, mean_square="x.mean(-1, keepdim=True)")
mistake(roots, mean_square="x.abs().mean(-1, keepdim=True)")
mistake("This is x itself (the weight is 1 here). Divide by the root mean square.", returns="self.weight * x")
mistake("These are the root mean squares. Divide the row by its own.", returns=OUT.format("(mean_square + self.eps).sqrt().expand_as(x)"))
mistake("Your fraction stands upside down: divide x by the root.", returns=OUT.format("(mean_square + self.eps).sqrt() / x"))
mistake("You added the weight. Multiply by it.", returns=f"self.weight + {root}")
mistake("x itself is missing: multiply it by the weight and divide by the root.", returns=OUT.format("torch.ones_like(x) / (mean_square + self.eps).sqrt()"))
mistake("You squared the mean square. Take its root.", returns=OUT.format("x / (mean_square + self.eps).square()"))
mistake("Is your eps inside the square root? You added it to the root.", returns=OUT.format("x / (mean_square.sqrt() + self.eps)"), see=details)
unused = ("The eps given to the layer changes nothing here: is another one used, or is it only a lower limit? Let forward add "
          "self.eps to every mean of squares, inside the root.")
mistake(unused, returns=OUT.format("x / mean_square.sqrt()"), see=details)
mistake(unused, {"self.eps = eps": "self.eps = 1e-6"}, see=details)
mistake(unused, {"self.eps = eps": "self.eps = 1e-5"}, see=details)
mistake(unused, returns=OUT.format("x / mean_square.clamp(min=self.eps).sqrt()"), see=details)
mistake("The eps that a layer has unless told is 1e-6.", {"eps=1e-6": "eps=1e-5"})
mistake("eps belongs to the mean of the squares, not to their sum.",
        returns=OUT.format("x / ((x.square().sum(-1, keepdim=True) + self.eps) / x.shape[-1]).sqrt()"))
mistake("You subtracted eps. Add it to the mean square.", returns=OUT.format("x / (mean_square - self.eps).sqrt()"))
mistake("Your eps is a lower limit of the root here. Add it to every mean of squares, inside the root.",
        returns=OUT.format("x / mean_square.sqrt().clamp(min=self.eps)"), see=details)
mistake("The layer's weight has no effect: multiply by self.weight, the parameter itself.", returns=root)
mistake("No gradient reaches the weight: is it cut off (detach, data, no_grad, requires_grad=False, a new nn.Parameter of it), not "
        "used, or no nn.Parameter?", returns=f"self.weight.detach() * {root}")
mistake("No gradient flows through the root mean square: it depends on x, so do not cut it off (detach, data, item or no_grad).",
        mean_square=MS + ".detach()")
mistake("No gradient reaches the input: is it cut off (detach, data, no_grad, a new tensor of it), or not used?",
        returns="self.weight * (x / (mean_square + self.eps).sqrt()).detach()")

# %% right: norm over sqrt d
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.e, self.d = nn.Parameter(torch.ones(d_model)), eps, d_model

    def forward(self, x):
        ms = x.norm(dim=-1, keepdim=True) ** 2 / self.d
        return x / (ms + self.e) ** 0.5 * self.weight

# %% right: each row by a dot product with itself
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        mean_square = torch.einsum("...d,...d->...", x, x).div(x.size(-1)).unsqueeze(-1)
        return torch.einsum("d,...d->...d", self.weight, x * torch.rsqrt(mean_square + self.eps))

# %% right: rows in a loop
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.empty(d_model).fill_(1))

    def forward(self, x):
        rows = [row / ((row @ row) / self.d_model + self.eps) ** 0.5 for row in x.reshape(-1, self.d_model)]
        return (self.weight * torch.stack(rows)).reshape(x.shape)

# %% right: variance plus the squared mean is the mean square
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        mean_square = variance + mean * mean
        return self.weight * (x * (mean_square + self.eps).rsqrt())

# %% right: in double precision inside, cast to the wider of both
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        wide = x.double()
        y = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight.double()
        return y.to(torch.promote_types(x.dtype, self.weight.dtype))

# %% right: the weight as a diagonal matrix
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean_square = x.square().mean(dim=-1, keepdim=True)
        out = (x / torch.sqrt(mean_square + self.eps)) @ torch.diag(self.weight)
        return out

# %% right: ARENA
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = torch.einsum("...d,...d->...", x, x).unsqueeze(-1) / x.shape[-1]
        return self.weight * x / (mean_square + self.eps).sqrt()

# %% right: CS231n
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        D = x.shape[-1]
        ms = torch.sum(x ** 2, axis=-1, keepdims=True) / D
        rms = torch.sqrt(ms + self.eps)
        return self.weight * (x / rms)

# %% right: makemore
class RMSNorm(nn.Module):

  def __init__(self, d_model, eps=1e-6):
    super().__init__()
    self.eps = eps
    self.weight = nn.Parameter(torch.ones(d_model))

  def forward(self, x):
    return self.weight * (x * ((x**2).mean(-1, keepdim=True) + self.eps)**-0.5)

# %% right: torch source
class RMSNorm(nn.Module):
    __constants__ = ["d_model", "eps"]

    def __init__(self, d_model, eps=1e-6) -> None:
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x) * self.weight

    def extra_repr(self) -> str:
        return f"{self.d_model}, eps={self.eps}"

# %% right: numpy first
import numpy as np


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.from_numpy(np.ones(d_model, dtype=np.float32)))

    def forward(self, x):
        rms = ((x * x).mean(axis=-1, keepdims=True) + self.eps) ** 0.5
        return self.weight * x / rms

# %% right: plain loops
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            total = 0
            for value in row:
                total = total + value * value
            rms = torch.sqrt(total / self.d_model + self.eps)
            rows.append(self.weight * row / rms)
        return torch.stack(rows).reshape(x.shape)
