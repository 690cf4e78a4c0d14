"""ResidualBlock, 2 points: a block whose shortcut is a projection where the shapes differ."""
import torch

task = Task("ResidualBlock")
m = task.module(starts=False, skip=["copies"])
m.build(6, 6, takes=(6,))
m.build(6, 4, takes=(6,))
m.build(2, 5, takes=(2,))
same = {"fc1.weight": [[1., 2.], [0., 3.]], "fc1.bias": [5., 1.], "fc2.weight": [[-2., 1.], [3., -1.]], "fc2.bias": [1., -5.]}
wider = {"fc1.weight": [[1.], [3.]], "fc1.bias": [0., 0.], "fc2.weight": [[1., 0.], [0., 1.]], "fc2.bias": [0., 0.], "shortcut.weight": [[3.], [-4.]]}
m.state("equal shapes: two linear layers, and nothing on the shortcut", 2, 2)
m.state("different shapes: one more matrix", 2, 3)
m.look("equal shapes: fc1 makes (2, -5) of x, and fc2 makes (-3, 1) of (2, 0)", 2, 2, state=same, x=[1., -2.])
m.look("from one feature to two", 1, 2, state=wider, x=[[2.]])
m.look("the gradient comes back through shortcut and branch", 1, 2, state=wider, x=[[2.]], pull=[[1., 1.]])
m.look("the same in evaluation mode", 1, 2, state=wider, x=[[2.]], evaluate=True)


@task.probe("x is left as it was", shown="x, after the block with equal shapes saw x = tensor([1., -2.])")
def _(ResidualBlock):
    x, block = torch.tensor([1., -2.]), ResidualBlock(2, 2)
    block.load_state_dict({name: torch.tensor(value) for name, value in same.items()})
    block(x)
    return x


@task.probe("one more matrix wherever the widths differ, none where they agree", shown="the number of parameters of ResidualBlock(d_in, d_out)")
def _(ResidualBlock):
    pairs = [(6, 1), (1, 6), (4, 8), (5, 6), (300, int("300")), (1, 1)]
    return {str(pair): len(list(ResidualBlock(*pair).parameters())) for pair in pairs}


# %% mistakes
CUT, ONE, TWO, P = "nn.Identity() if d_in == d_out else ", "nn.Linear(d_in, d_out)\n", "nn.Linear(d_out, d_out)", "nn.Linear(d_in, d_out, bias=False)"
mistake("There is a projection although the shapes agree. Let x pass as it is.", {CUT: ""})
mistake("There is a projection, with a bias, although the shapes agree. Let x pass as it is.", {CUT: "", P: "nn.Linear(d_in, d_out)"})
mistake("fc1 and fc2 need biases: is there a bias=False?", {ONE: "nn.Linear(d_in, d_out, bias=False)\n", TWO: "nn.Linear(d_out, d_out, bias=False)"})
mistake("Give the projection no bias: pass bias=False.", {P: "nn.Linear(d_in, d_out)"})
mistake("No projection is registered when the block is made: where the shapes differ, assign an nn.Linear to self.shortcut in __init__ "
        "(not first in forward).", {"if d_in == d_out": "if True"})
mistake("No projection is made for one feature: x would be broadcast. Make one wherever the widths differ.", {"d_in == d_out": "d_in == d_out or d_out == 1"})
mistake("Compare the widths with ==: `is` asks whether they are the same object.", {"d_in == d_out": "d_in is d_out"})
BRANCH = "self.fc2(torch.relu(self.fc1(x)))"
mistake("A relu acts on x itself (inplace=True, or x = relu(x)?), and the shortcut carries what is left of it.",
        returns="self.fc2(self.fc1(F.relu(x, inplace=True))) + self.shortcut(x)")
mistake("A relu acts on x itself (inplace=True, or x = relu(x)?), and the shortcut carries what is left of it.",
        returns="self.shortcut(torch.relu(x)) + self.fc2(self.fc1(torch.relu(x)))")
mistake("Nothing negative comes out: is there a relu after the sum? The stream must carry negative numbers.", returns=f"torch.relu(self.shortcut(x) + {BRANCH})")
mistake("The relu between fc1 and fc2 is missing, or its result is dropped.", returns="self.shortcut(x) + self.fc2(self.fc1(x))")
mistake("The activation between fc1 and fc2 is a relu, not a tanh.", returns="self.shortcut(x) + self.fc2(torch.tanh(self.fc1(x)))")
mistake("The activation between fc1 and fc2 is a relu, not a GELU.", returns="self.shortcut(x) + self.fc2(F.gelu(self.fc1(x)))")
mistake("There is a relu on the branch's output: its mean cannot be zero. The branch ends with fc2.", returns=f"self.shortcut(x) + torch.relu({BRANCH})")
mistake("You returned the branch alone. Add the shortcut.", returns=BRANCH)
mistake("You added the shortcut twice.", returns=f"2 * self.shortcut(x) + {BRANCH}")
H = "self.fc2({}) if x.shape[-1] == self.fc2.in_features else self.fc2(torch.relu(self.fc1(x)))"
mistake("fc1 has no effect: fc2 must see the relu of fc1's output, not the input.", returns=f"self.shortcut(x) + ({H.format('x')})")
mistake("fc1 has no effect: fc2 must see fc1's output, not the input.", returns=f"self.shortcut(x) + ({H.format('torch.relu(x)')})")
mistake("fc2 has no effect: the branch is fc2(relu(fc1(x))).", returns="self.shortcut(x) + torch.relu(self.fc1(x))")
mistake("A relu acts on x before fc1. It belongs between fc1 and fc2 alone.", returns="self.shortcut(x) + self.fc2(self.fc1(torch.relu(x)))")
mistake("A relu acts on x before fc1, too. It belongs between fc1 and fc2 alone.", returns="self.shortcut(x) + self.fc2(torch.relu(self.fc1(torch.relu(x))))")
mistake("The stream is the input, not fc1's output.", returns="(h := self.fc1(x)) + self.fc2(torch.relu(h))")
mistake("fc1 and fc2 are in the wrong order.",
        returns=f"self.shortcut(x) + (self.fc1(torch.relu(self.fc2(x))) if self.fc1.in_features == self.fc1.out_features else {BRANCH})")
mistake("fc2's weight is the wrong way round: use self.fc2(h), or h @ self.fc2.weight.T.", returns="self.shortcut(x) + torch.relu(self.fc1(x)) @ self.fc2.weight + self.fc2.bias")
mistake("You subtracted the branch.", returns=f"self.shortcut(x) - {BRANCH}")
mistake("You multiplied by the branch. Add it.", returns=f"self.shortcut(x) * {BRANCH}")
mistake("The branch has no effect here: you returned the shortcut alone.", returns="self.shortcut(x)")
mistake("A relu in place (inplace=True?) has rewritten x.", returns=f"(y := {BRANCH}.add(self.shortcut(x)), F.relu(x, inplace=True))[0]")
mistake("x itself now holds the sum (+= on x, or on what nn.Identity hands on?). Make a new tensor.", returns=f"self.shortcut(x).add_({BRANCH})")
mean = "x, or its mean, was added to every feature (by broadcasting?). Send x through the projection."
mistake(mean, returns=f"(x if x.shape[-1] == self.fc2.out_features else x.mean(-1, keepdim=True)) + {BRANCH}")
mistake(mean, returns=f"x + {BRANCH}")
mistake("You cut x to the first features, or broadcast it. Send it through the projection.", returns=f"x[..., :self.fc2.out_features] + {BRANCH}")
mistake("There is a relu on the projection. The shortcut is linear.", returns=f"(x if isinstance(self.shortcut, nn.Identity) else torch.relu(self.shortcut(x))) + {BRANCH}")
cut = "No gradient comes back through {}: is it cut off (detach, data, no_grad, a new tensor of it), or not used?"
mistake(cut.format("the shortcut"), returns=f"self.shortcut(x).detach() + {BRANCH}")
mistake(cut.format("the shortcut"), returns=f"self.shortcut(x.detach()) + {BRANCH}")
mistake(cut.format("the shortcut, where the block narrows"), returns=f"self.shortcut(x.detach() if x.shape[-1] > self.fc2.out_features else x) + {BRANCH}")
mistake(cut.format("the branch"), returns=f"self.shortcut(x) + {BRANCH}.detach()")
mistake("No gradient comes back to x at all: is it cut off (detach, data, no_grad, a new tensor of it), or not used?",
        returns=f"self.shortcut(x := x.detach()) + {BRANCH}")
mistake("No gradient reaches fc2: is it cut off (detach, data, no_grad), frozen, or not used?",
        returns="self.shortcut(x) + F.linear(torch.relu(self.fc1(x)), self.fc2.weight.detach(), self.fc2.bias.detach())")
mistake("No gradient reaches fc2's weight: is it cut off (detach, data, no_grad), or not used?",
        returns="self.shortcut(x) + F.linear(torch.relu(self.fc1(x)), self.fc2.weight.detach(), self.fc2.bias)")
mistake("The projection is frozen: its weight must learn, too.", {P: P + ".requires_grad_(False)"})

# %% right: an if in forward in place of nn.Identity
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.shortcut = None
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)

    def forward(self, x):
        branch = self.fc2(F.relu(self.fc1(x)))
        if self.shortcut is None:
            return x + branch
        return self.shortcut(x) + branch

# %% right: an empty Sequential, and sums in place of its own tensors
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.shortcut = nn.Sequential()

    def forward(self, x):
        out = F.relu(self.fc1(x), inplace=True)
        out = self.fc2(out)
        out += self.shortcut(x)
        return out

# %% right: relu as half of z plus its size, the branch in double precision
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        self.fc2 = nn.Linear(d_out, d_out)
        self.fc1 = nn.Linear(d_in, d_out)

    def forward(self, x):
        wide = [part.double() for layer in (self.fc1, self.fc2) for part in (layer.weight, layer.bias)]
        z = F.linear(x.double(), *wide[:2])
        branch = F.linear((z + z.abs()) / 2, *wide[2:])
        skip = self.shortcut(x) if hasattr(self, "shortcut") else x
        return (skip.double() + branch).to(x.dtype)

# %% right: clamp
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.fc2(self.fc1(x).clamp(min=0)) + self.shortcut(x)

# %% right: ARENA
from torch import Tensor


class ResidualBlock(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        branch = self.fc2(self.relu(self.fc1(x)))
        return self.shortcut(x) + branch

# %% right: CS231n
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = None
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        h1 = self.fc1(x)
        a1 = torch.maximum(h1, torch.zeros_like(h1))
        out = self.fc2(a1)
        skip = x if self.shortcut is None else self.shortcut(x)
        return skip + out

# %% right: makemore
class ResidualBlock(nn.Module):

  def __init__(self, d_in, d_out):
    super().__init__()
    self.fc1 = nn.Linear(d_in, d_out)
    self.fc2 = nn.Linear(d_out, d_out)
    if d_in != d_out: self.shortcut = nn.Linear(d_in, d_out, bias=False)

  def forward(self, x):
    h = self.fc2(self.fc1(x).relu())
    return h + (self.shortcut(x) if hasattr(self, 'shortcut') else x)

# %% right: torch source
class ResidualBlock(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.d_out = d_out
        self.fc1 = nn.Linear(d_in, d_out)
        self.relu = nn.ReLU(inplace=True)
        self.fc2 = nn.Linear(d_out, d_out)
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)
        else:
            self.register_module("shortcut", None)

    def forward(self, x):
        identity = x
        out = self.fc1(x)
        out = self.relu(out)
        out = self.fc2(out)
        if self.shortcut is not None:
            identity = self.shortcut(x)
        out += identity
        return out

    def extra_repr(self) -> str:
        return f"{self.d_in}, {self.d_out}"

# %% right: numpy first
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity()
        if d_in != d_out:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        z = self.fc1(x)
        h = torch.where(z > 0, z, 0.)
        return self.shortcut(x) + self.fc2(h)

# %% right: plain loops
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.same = d_in == d_out
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        if not self.same:
            self.shortcut = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        hidden = self.fc1(x)
        hidden = torch.relu(hidden)
        out = self.fc2(hidden)
        if self.same:
            return x + out
        else:
            return self.shortcut(x) + out
