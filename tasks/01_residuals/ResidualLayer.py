"""ResidualLayer, 2 points: a residual layer with weights of its own."""
import torch

task = Task("ResidualLayer")
m = task.module(starts=False, skip=["copies"])
m.build(6, takes=(6,))
half = 0.5493  # its tanh is 0.5, and that of its double 0.8
state = {"linear.weight": [[half, half], [0., 2 * half]], "linear.bias": [-half, -3 * half]}
m.state("one linear layer, called linear", 2)
m.look("the input plus the branch, which is 0.8 and -0.5", 2, state=state, x=[2., 1.])
m.look("the gradient reaches the input, weight and bias", 2, state=state, x=[2., 1.], pull=[1., 1.])


@task.probe("x is left as it was", shown="x, after ResidualLayer(2)(x) for x = tensor([2., 1.])")
def _(ResidualLayer):
    x = torch.tensor([2., 1.])
    ResidualLayer(2)(x)
    return x


def start(part):
    largest, mean = part.abs().max(), part.abs().mean()
    return "zeros" if largest == 0 else "between -0.1 and 0.1" if 0.07 < largest < 0.10001 and 0.03 < mean < 0.07 else "other numbers"


@task.probe("linear starts as torch makes it: with numbers up to 1 / √100", shown="ResidualLayer(100).linear")
def _(ResidualLayer):
    return {name: start(part) for name, part in sorted(ResidualLayer(100).linear.named_parameters())}


# %% mistakes
LINEAR, OUT = "nn.Linear(d_model, d_model)", "x + torch.tanh(self.linear(x))"
mistake("The bias is missing.", {LINEAR: "nn.Linear(d_model, d_model, bias=False)"})
nothing = "Nothing is registered: assign an nn.Linear to self.linear."
mistake(nothing, {LINEAR: "d_model"})
mistake(nothing, {"self.linear = nn.Linear(d_model, d_model)": "self.layers = [nn.Linear(d_model, d_model)]", "self.linear(x)": "self.layers[0](x)"})
mistake("Your weights are not in a layer called linear: is self.linear a parameter?",
        {LINEAR: "nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)", "self.linear(x)": "x @ self.linear.T"})
mistake("You registered weight and bias on the layer itself. Put them into self.linear.", {
    "self.linear = nn.Linear(d_model, d_model)": "self.weight = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5); self.bias = nn.Parameter(torch.zeros(d_model))",
    "self.linear(x)": "F.linear(x, self.weight, self.bias)"})
mistake("Call the layer linear.", {"self.linear": "self.fc"})
mistake("You returned the branch alone. Add the input back.", returns="torch.tanh(self.linear(x))")
mistake("The tanh stands around the sum. It belongs to the branch: the stream passes untouched.", returns="torch.tanh(x + self.linear(x))")
mistake("The branch has no tanh, or its result is dropped.", returns="x + self.linear(x)")
mistake("You squashed the stream too. The tanh belongs to the branch alone.", returns="torch.tanh(x) + torch.tanh(self.linear(x))")
mistake("The tanh comes before the linear layer. It acts on what the layer returns.", returns="x + self.linear(torch.tanh(x))")
mistake("The weight is the wrong way round (a .T that is missing, or one too many?): use self.linear(x).",
        returns="x + torch.tanh(x @ self.linear.weight + self.linear.bias)")
mistake("The bias has no effect: it belongs inside the tanh.", returns="x + torch.tanh(x @ self.linear.weight.T)")
mistake("The bias is added after the tanh. It belongs inside.", returns="x + torch.tanh(x @ self.linear.weight.T) + self.linear.bias")
mistake("You added the input twice.", returns="x + x + torch.tanh(self.linear(x))")
mistake("You subtracted the branch.", returns="x - torch.tanh(self.linear(x))")
mistake("Your branch is a relu. This one is a tanh.", returns="x + torch.relu(self.linear(x))")
mistake("Your branch is a sigmoid. This one is a tanh.", returns="x + torch.sigmoid(self.linear(x))")
mistake("You multiplied by the branch. Add it.", returns="x * torch.tanh(self.linear(x))")
mistake("The branch has no effect: you returned the input alone.", returns="x")
mistake("The branch has no effect in one of the modes: a residual layer has no modes.", returns="x + torch.tanh(self.linear(x)) if self.training else x")
mistake("The branch has no effect in one of the modes: a residual layer has no modes.", returns="x if self.training else x + torch.tanh(self.linear(x))")
mistake("The linear layer has no effect: the tanh acts on what it returns.", returns="x + torch.tanh(x)")
mistake("You changed x in place (x += ..., add_ or the like). Its owner sees that: make a new tensor.", returns="x.add_(torch.tanh(self.linear(x)))")
cut = "No gradient comes back through {}: is it cut off (detach, data, no_grad, a new tensor of it), or not used?"
mistake(cut.format("the skip"), returns="x.detach() + torch.tanh(self.linear(x))")
mistake(cut.format("the skip of a batch"), returns="(x if x.dim() == 1 else x.detach()) + torch.tanh(self.linear(x))")
mistake(cut.format("the branch"), returns="x + torch.tanh(self.linear(x)).detach()")
mistake("No gradient comes back to x at all: is it cut off (detach, data, no_grad, a new tensor of it), or not used?",
        returns="x.detach() + torch.tanh(self.linear(x.detach()))")
frozen = ("No gradient reaches the layer: are its parameters cut off (detach, data, no_grad, requires_grad=False, a new nn.Parameter of "
          "them), or not used?")
mistake(frozen, {LINEAR: "nn.Linear(d_model, d_model).requires_grad_(False)"})
mistake(frozen, returns="x + torch.tanh(F.linear(x, self.linear.weight.detach(), self.linear.bias.detach()))")
mistake("No gradient reaches the weight: is it cut off, frozen, or not used?", returns="x + torch.tanh(F.linear(x, self.linear.weight.data, self.linear.bias))")
mistake("No gradient reaches the bias: is it cut off, frozen, or not used?", returns="x + torch.tanh(F.linear(x, self.linear.weight, self.linear.bias.data))")
own = "linear has an init of your own. Leave it as torch makes it."
mistake(own, {LINEAR: "nn.Linear(d_model, d_model); nn.init.xavier_uniform_(self.linear.weight)"})
mistake(own, {LINEAR: "nn.Linear(d_model, d_model); nn.init.normal_(self.linear.weight, std=0.02)"})
mistake("linear's bias starts at zero. Leave it as torch makes it.", {LINEAR: "nn.Linear(d_model, d_model); nn.init.zeros_(self.linear.bias)"})

# %% right: uses residual of task 1
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def branch(self, x):
        return torch.tanh(self.linear(x))

    def forward(self, x):
        return residual(x, self.branch)

# %% right: 2 sigmoid(2z) - 1
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model, bias=True)

    def forward(self, x):
        z = x @ self.linear.weight.t() + self.linear.bias
        return x + 2 * torch.sigmoid(2 * z) - 1

# %% right: all of it in double precision, given back in that of the input
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        z = F.linear(x.double(), self.linear.weight.double(), self.linear.bias.double())
        return (x.double() + z.tanh()).to(x.dtype)

# %% right: adds in place, but to a copy of its own
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        y = self.linear(x).tanh().clone()
        y += x
        return y

# %% right: ARENA
from torch import Tensor


class ResidualLayer(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[-1] == self.d_model
        return x + torch.tanh(self.linear(x))

# %% right: CS231n
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        W, b = self.linear.weight, self.linear.bias
        scores = torch.matmul(x, W.T) + b
        out = x + torch.tanh(scores)
        return out

# %% right: makemore
class ResidualLayer(nn.Module):

  def __init__(self, d_model):
    super().__init__()
    self.linear = nn.Linear(d_model, d_model)

  def forward(self, x):
    hpreact = self.linear(x)
    self.out = x + torch.tanh(hpreact)
    return self.out

# %% right: torch source
class ResidualLayer(nn.Module):
    __constants__ = ["d_model"]

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()

    def forward(self, input):
        return input + torch.tanh(F.linear(input, self.linear.weight, self.linear.bias))

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}"

# %% right: numpy first
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        z = x @ self.linear.weight.T + self.linear.bias
        return x + torch.tanh(z)

# %% right: plain loops
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            new_row = []
            for i in range(self.d_model):
                z = (row * self.linear.weight[i]).sum() + self.linear.bias[i]
                new_row.append(row[i] + torch.tanh(z))
            rows.append(torch.stack(new_row))
        return torch.stack(rows).reshape(x.shape)
