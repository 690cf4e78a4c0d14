"""SkipInit, 3 points: a block that starts as nothing, and learns."""
import torch

task = Task("SkipInit")
m = task.module(starts=False, skip=["copies"])
m.build(5, takes=(5,))
layers = {"fc1.weight": [[1., 2.], [0., 3.]], "fc1.bias": [5., 1.], "fc2.weight": [[-2., 1.], [3., -1.]], "fc2.bias": [1., -5.]}
m.state("the parameters: alpha, one number, fc1 and fc2", 2)


@task.probe("alpha starts at zero and is one number", shown="SkipInit(2).alpha")
def _(SkipInit):
    alpha = SkipInit(2).alpha
    return {"alpha": alpha, "it is 0 to the last digit": bool((alpha == 0).all())}


m.look("a new block is the identity", 2, x=[[1., -2.], [3., 4.]])


def start(part):
    largest, mean = part.abs().max(), part.abs().mean()
    return "zeros" if largest == 0 else "between -0.1 and 0.1" if 0.07 < largest < 0.10001 and 0.03 < mean < 0.07 else "other numbers"


@task.probe("fc1 and fc2 start as torch makes them: with numbers up to 1 / √100", shown="fc1 and fc2 of SkipInit(100)")
def _(SkipInit):
    block = SkipInit(100)
    return {f"fc{n}.{name}": start(part) for n, layer in enumerate([block.fc1, block.fc2], 1) for name, part in sorted(layer.named_parameters())}


m.look("with alpha at 4: fc1 makes (2, -5) of x, and fc2 makes (-3, 1) of (2, 0)", 2, state={"alpha": 4., **layers}, x=[1., -2.])
m.look("with alpha at -2", 2, state={"alpha": -2., **layers}, x=[1., -2.])
m.look("at the start alpha gets a gradient", 2, state={"alpha": 0., **layers}, x=[1., -2.], pull=[1., 1.])
m.look("once alpha has moved, fc1 and fc2 get one too", 2, state={"alpha": 3., **layers}, x=[1., -2.], pull=[1., 1.])


@task.probe("x is left as it was", shown="x, after the block with alpha at 4 saw x = tensor([1., -2.])")
def _(SkipInit):
    x, block = torch.tensor([1., -2.]), SkipInit(2)
    block.load_state_dict({name: torch.tensor(value) for name, value in {"alpha": 4., **layers}.items()})
    block(x)
    return x


# %% mistakes
ALPHA, F1, F2 = "nn.Parameter(torch.zeros(()))", "self.fc1 = nn.Linear(d_model, d_model)", "self.fc2 = nn.Linear(d_model, d_model)"
BRANCH = "self.fc2(torch.relu(self.fc1(x)))"
absent = "alpha is not among the parameters, so no optimiser will ever move it: assign an nn.Parameter to self.alpha."
mistake(absent, {ALPHA: "torch.zeros(())"})
mistake(absent, {f"self.alpha = {ALPHA}": "self.register_buffer('alpha', torch.zeros(()))"})
mistake("alpha does not learn: leave its requires_grad on.", {ALPHA: "nn.Parameter(torch.zeros(()), False)"})
mistake("fc1 and fc2 need biases: is there a bias=False?", {F1: F1[:-1] + ", bias=False)", F2: F2[:-1] + ", bias=False)"})
mistake("Of the two linear layers only fc1's parameters are here: the branch has fc1 and fc2, each with its own.", {F2: "", "self.fc2": "self.fc1"})
mistake("fc1 and fc2 map d_model to d_model features: yours have another number between them.",
        {F1: "self.fc1 = nn.Linear(d_model, 4 * d_model)", F2: "self.fc2 = nn.Linear(4 * d_model, d_model)"})
mistake("alpha starts at 1: the block must start as the identity.", {ALPHA: "nn.Parameter(torch.ones(()))"})
mistake("alpha starts near zero. Start it at 0: alpha itself gets a gradient there.", {ALPHA: "nn.Parameter(torch.tensor(1e-5))"})
mistake("alpha starts near zero. Start it at 0: alpha itself gets a gradient there.", {ALPHA: "nn.Parameter(torch.tensor(0.1))"})
mistake("alpha has as many entries as features. It is one number, of shape ().", {ALPHA: "nn.Parameter(torch.zeros(d_model))"})
mistake("alpha has shape (1,). Make it a single number of shape ().", {ALPHA: "nn.Parameter(torch.zeros(1))"})
init = "{} as well as alpha. Leave both layers as torch makes them: alpha alone starts at zero."
mistake(init.format("fc2.weight starts at zero"), {F2: F2 + "; nn.init.zeros_(self.fc2.weight)"})
mistake(init.format("fc2.weight and fc2.bias start at zero"), {F2: F2 + "; nn.init.zeros_(self.fc2.weight); nn.init.zeros_(self.fc2.bias)"})
mistake(init.format("fc1.weight starts at zero"), {F1: F1 + "; nn.init.zeros_(self.fc1.weight)"})
mistake(init.format("fc1.weight and fc2.weight start at zero"), {ALPHA: ALPHA + "\n        for parameter in self.parameters(): nn.init.zeros_(parameter)"})
mistake(init.format("Both biases start at zero"), {ALPHA: ALPHA + "\n        for layer in (self.fc1, self.fc2): nn.init.zeros_(layer.bias)"})
mistake("fc2 has an init of your own: leave it as torch makes it.", {F2: F2 + "; nn.init.normal_(self.fc2.weight, std=0.02)"})
mistake("fc1 has an init of your own: leave it as torch makes it.", {F1: F1 + "; nn.init.normal_(self.fc1.weight, std=0.02)"})
mistake("fc1 and fc2 have an init of your own: leave both layers as torch makes them.",
        {ALPHA: ALPHA + "\n        for layer in (self.fc1, self.fc2): nn.init.normal_(layer.weight, std=0.02)"})
zeros = "A new block returns zeros: does alpha multiply the stream too, or is the input not added back?"
mistake(zeros, returns=f"self.alpha * (x + {BRANCH})")
mistake(zeros, returns=f"self.alpha * {BRANCH}")
negative = "A new block cuts off negative numbers: does a relu act on the sum, or on x itself (inplace=True)?"
mistake(negative, returns=f"torch.relu(x + self.alpha * {BRANCH})")
mistake(negative, returns="self.fc2(F.relu(self.fc1(F.relu(x, inplace=True)))) * self.alpha + x")
mistake("A new block is not the identity: its branch is not multiplied by alpha.", returns=f"x + {BRANCH}")
mistake("At alpha = 4 the branch counts once: multiply it by alpha itself. Is there a clamp, a sign, a tanh, or only a test for 0?",
        returns=f"x + self.alpha.clamp(max=1) * {BRANCH}")
mistake("At alpha = 4 the branch counts once: multiply it by alpha itself. Is there a clamp, a sign, a tanh, or only a test for 0?",
        returns=f"x + self.alpha.clamp(-1, 1) * {BRANCH}")
mistake("A negative alpha has no effect, or its sign is lost: multiply by alpha itself.", returns=f"x + self.alpha.clamp(min=0) * {BRANCH}")
mistake("A negative alpha has no effect, or its sign is lost: multiply by alpha itself.", returns=f"x + self.alpha.abs() * {BRANCH}")
mistake("alpha multiplies the stream and not the branch.", returns=f"self.alpha * x + {BRANCH}")
mistake("You blended: (1 - alpha) x + alpha f(x). The stream keeps its factor of 1.", returns=f"(1 - self.alpha) * x + self.alpha * {BRANCH}")
mistake("alpha multiplies the stream too. It belongs to the branch alone.", returns=f"(1 + self.alpha) * x + self.alpha * {BRANCH}")
mistake("There is a relu on the branch's output: its mean cannot be zero. The branch ends with fc2.", returns=f"x + self.alpha * torch.relu({BRANCH})")
mistake("The relu between fc1 and fc2 is missing, or its result is dropped.", returns="x + self.alpha * self.fc2(self.fc1(x))")
mistake("A relu acts on x before fc1. It belongs between fc1 and fc2 alone.", returns="x + self.alpha * self.fc2(self.fc1(torch.relu(x)))")
mistake("The activation between fc1 and fc2 is a relu, not a tanh.", returns="x + self.alpha * self.fc2(torch.tanh(self.fc1(x)))")
mistake("The activation between fc1 and fc2 is a relu, not a GELU.", returns="x + self.alpha * self.fc2(F.gelu(self.fc1(x)))")
mistake("alpha acts before fc2, whose bias it then does not scale. It multiplies the whole branch.", returns="x + self.fc2(self.alpha * torch.relu(self.fc1(x)))")
mistake("alpha acts on the input of the branch. It multiplies what comes out of it.", returns="x + self.fc2(torch.relu(self.fc1(self.alpha * x)))")
mistake("You subtracted the branch.", returns=f"x - self.alpha * {BRANCH}")
mistake("fc2 has no effect: the branch ends with it, not with fc1 once more.", returns="x + self.alpha * self.fc1(torch.relu(self.fc1(x)))")
mistake("fc2 has no effect: the branch ends with it, not with the relu.", returns="x + self.alpha * torch.relu(self.fc1(x))")
mistake("fc1 and fc2 are in the wrong order.", returns="x + self.alpha * self.fc1(torch.relu(self.fc2(x)))")
alone = "This is the input alone: is the branch left out, or alpha read only once, in __init__?"
mistake(alone, returns="x")
mistake(alone, {f"self.alpha = {ALPHA}": f"self.alpha = {ALPHA}; self.scale = self.alpha.item()"}, returns=f"x + self.scale * {BRANCH}")
mistake("You changed x in place (x += ... or the like): make a new tensor.", returns=f"x.add_(self.alpha * {BRANCH})")
mistake("A relu has rewritten x (inplace=True?).", returns=f"(y := x + self.alpha * {BRANCH}, F.relu(x, inplace=True))[0]")
lost = "alpha gets no gradient: is it cut off (item, data, detach, no_grad), not used, or is its branch left out while it is zero?"
mistake(lost, returns=f"x + self.alpha.item() * {BRANCH}")
mistake(lost, returns=f"x + self.alpha * {BRANCH} if self.alpha != 0 else x + 0 * (self.fc1.weight.sum() + self.fc2.weight.sum())")
cut = "No gradient reaches {}: is it cut off (detach, data, no_grad, requires_grad=False, a new nn.Parameter of it), or not used?"
mistake(cut.format("the branch"), returns=f"x + self.alpha * {BRANCH}.detach()")
mistake(cut.format("the branch"), {F1: F1 + ".requires_grad_(False)", F2: F2 + ".requires_grad_(False)"})
mistake(cut.format("fc1"), returns="x + self.alpha * self.fc2(torch.relu(self.fc1(x)).detach())")
mistake(cut.format("fc2"), returns="x + self.alpha * F.linear(torch.relu(self.fc1(x)), self.fc2.weight.detach(), self.fc2.bias.detach())")
mistake("No gradient comes back through the skip: is it cut off (detach, data, no_grad), or not used?", returns=f"x.detach() + self.alpha * {BRANCH}")
mistake("No gradient comes back to x: is it cut off (detach, data, no_grad), or not used?", returns=f"(x := x.detach()) + self.alpha * {BRANCH}")

# %% right: alpha made empty and set to zero by nn.init, blended with torch.addcmul
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.empty([]))
        nn.init.zeros_(self.alpha)

    def forward(self, x):
        hidden = F.relu(F.linear(x, self.fc1.weight, self.fc1.bias))
        return torch.addcmul(x, self.alpha, F.linear(hidden, self.fc2.weight, self.fc2.bias))

# %% right: register_parameter, lerp
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.register_parameter("alpha", nn.Parameter(torch.tensor(0.)))
        self.fc1, self.fc2 = (nn.Linear(d_model, d_model) for _ in range(2))

    def branch(self, x):
        h = self.fc1(x)
        return self.fc2(h.clamp(min=0))

    def forward(self, x):
        return torch.lerp(x, x + self.branch(x), self.alpha)

# %% right: in double precision inside, alpha spread over the features
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(0.0))
        self.fc1, self.fc2 = (nn.Linear(d_model, d_model) for _ in range(2))

    def forward(self, x):
        z = F.linear(x.double(), self.fc1.weight.double(), self.fc1.bias.double())
        z = F.linear(z.clamp(min=0), self.fc2.weight.double(), self.fc2.bias.double())
        return (x.double() + self.alpha.double().expand(x.shape[-1]) * z).to(x.dtype)

# %% right: a method for the branch, torch.maximum for the relu, fc2 made first
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(0.0))
        self.fc2 = nn.Linear(d_model, d_model)
        self.fc1 = nn.Linear(d_model, d_model)

    def branch(self, x):
        hidden = self.fc1(x)
        return self.fc2(torch.maximum(hidden, torch.zeros_like(hidden)))

    def forward(self, x):
        return self.alpha * self.branch(x) + x

# %% right: ARENA
from torch import Tensor


class SkipInit(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.alpha * self.fc2(self.relu(self.fc1(x)))

# %% right: CS231n
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros([]))

    def forward(self, x):
        h1 = self.fc1(x)
        a1 = F.relu(h1)
        out = self.fc2(a1)
        return x + self.alpha * out

# %% right: makemore
class SkipInit(nn.Module):

  def __init__(self, d_model):
    super().__init__()
    self.fc1 = nn.Linear(d_model, d_model)
    self.fc2 = nn.Linear(d_model, d_model)
    self.alpha = nn.Parameter(torch.tensor(0.))

  def forward(self, x):
    self.out = x + self.alpha * self.fc2(self.fc1(x).relu())
    return self.out

# %% right: torch source
class SkipInit(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.empty(()))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.fc1.reset_parameters()
        self.fc2.reset_parameters()
        nn.init.zeros_(self.alpha)

    def forward(self, x):
        out = self.fc2(F.relu(self.fc1(x)))
        return torch.addcmul(x, self.alpha, out)

# %% right: numpy first
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        hidden = torch.clip(self.fc1(x), min=0)
        return x + self.alpha * self.fc2(hidden)

# %% right: plain loops
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, self.d_model):
            hidden = torch.relu(self.fc1(row))
            rows.append(row + self.alpha * self.fc2(hidden))
        return torch.stack(rows).reshape(x.shape)
