"""FeedForward, 2 points: d -> 4 d -> d, every token alone. Of GELU the approximation with tanh is right, too, hence the tolerance."""
task = Task("FeedForward")
m = task.module(starts=False, tolerance=0.02)
m.build(6, takes=(6,))
m.build(d_model=2, takes=(2,))

w = {"up.weight": [[1.], [1.], [-1.], [0.]], "up.bias": [0., 1., 0., 3.], "down.weight": [[1., 1., 10., 0.]], "down.bias": [0.5]}
m.state("names and shapes of the weights", 3)
m.look("the tokens 1 and -2", 1, state=w, x=[[1.], [-2.]])
m.look("two names of two tokens", 1, state=w, x=[[[3.], [1.]], [[0.5], [2.]]])
m.look("a single name of two tokens", 1, state=w, x=[[[3.], [1.]]])
m.look("gradients of the token 1 and of all weights", 1, state=w, x=[[1.]], pull=[[1.]])

# %% mistakes
OUT, UP, DOWN = "self.down(F.gelu(self.up(x)))", "nn.Linear(d_model, 4 * d_model)", "nn.Linear(4 * d_model, d_model)"
mistake("The inner layer has 2 d features. It has 4 d.", {UP: "nn.Linear(d_model, 2 * d_model)", DOWN: "nn.Linear(2 * d_model, d_model)"})
mistake("Both layers are d to d. The inner width is 4 d.", {UP: "nn.Linear(d_model, d_model)", DOWN: "nn.Linear(d_model, d_model)"})
mistake("The biases are missing: nn.Linear has one unless you forbid it.", {"d_model)\n": "d_model, bias=False)\n"})
mistake("The parts are called up and down.", {"self.up": "self.fc1", "self.down": "self.fc2"})
mistake("There is a relu between the two layers. GELU is asked for.", returns=OUT.replace("gelu", "relu"))
mistake("That is SiLU, x times sigmoid of x. GELU is asked for: F.gelu.", returns=OUT.replace("gelu", "silu"))
mistake("There is a tanh between the two layers. GELU is asked for.", returns="self.down(torch.tanh(self.up(x)))")
mistake("Nothing bends between the two layers: together they are one linear layer. GELU belongs between them.",
        returns="self.down(self.up(x))")
mistake("There is a GELU behind the second layer too. The branch ends linear, so that it can also subtract.", returns=f"F.gelu({OUT})")
mistake("Something bends behind the second layer, and nothing between the two: the GELU belongs between.",
        returns="F.gelu(self.down(self.up(x)))")
mistake("The GELU stands before the first layer. It belongs between the two.", returns="self.down(self.up(F.gelu(x)))")
mistake("You added x. The skip is the block's business (task 4).", returns=f"x + {OUT}")
mistake("This is what x = 0 gives: did you normalise x? Norms are the block's business (task 4).",
        returns="self.down(F.gelu(self.up(F.layer_norm(x, x.shape[-1:]))))")
mistake("The biases have no effect: call the layers, self.up(...) and self.down(...), or add their biases yourself.",
        returns="F.gelu(x @ self.up.weight.T) @ self.down.weight.T")
leak = "Tokens see each other here. The feed-forward network treats each alone; attention is where they meet."
mistake(leak, returns="self.down((h := F.gelu(self.up(x))) - h.mean(0, keepdim=True))")
mistake(leak, returns="self.down((h := F.gelu(self.up(x))) - h.mean(-2, keepdim=True))")
mistake("No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?",
        returns="self.down(F.gelu(self.up(x.detach())))")
mistake("No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?", returns=OUT + ".detach()")
mistake("No gradient reaches the weights: call the layers themselves, and cut nothing off.",
        returns="F.linear(F.gelu(F.linear(x, self.up.weight.data, self.up.bias.data)), self.down.weight.data, self.down.bias.data)")
mistake("A batch of one name lost its dimension: the answer has the shape of x.", returns=f"({OUT}).squeeze(0)")

# %% right: ARENA
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    up: nn.Linear
    down: nn.Linear

    def __init__(self, d_model: int):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pre = torch.einsum("...d,hd->...h", x, self.up.weight) + self.up.bias
        post = F.gelu(pre)
        return torch.einsum("...h,dh->...d", post, self.down.weight) + self.down.bias

# %% right: CS231n
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        hidden_dim = 4 * d_model
        self.up = nn.Linear(d_model, hidden_dim)
        self.down = nn.Linear(hidden_dim, d_model)

    def forward(self, x):
        h = self.up(x)
        # tanh approximation of GELU
        a = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        out = self.down(a)
        return out

# %% right: makemore
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        hpreact = self.up(x)
        h = 0.5 * hpreact * (1.0 + torch.erf(hpreact / 2**0.5))
        return self.down(h)

# %% right: torch source
class FeedForward(nn.Module):
    r"""Applies :math:`GELU(x W_{up} + b_{up}) W_{down} + b_{down}` to every token.

    Args:
        d_model: size of each input sample
    """

    __constants__ = ["d_model", "dim_feedforward"]

    def __init__(self, d_model: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.d_model = d_model
        self.dim_feedforward = 4 * d_model
        self.up = nn.Linear(d_model, self.dim_feedforward, **factory_kwargs)
        self.down = nn.Linear(self.dim_feedforward, d_model, **factory_kwargs)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.up.weight)
        nn.init.xavier_uniform_(self.down.weight)
        nn.init.zeros_(self.up.bias)
        nn.init.zeros_(self.down.bias)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        hidden = F.gelu(F.linear(input, self.up.weight, self.up.bias))
        return F.linear(hidden, self.down.weight, self.down.bias)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}"

# %% right: numpy first
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = torch.matmul(x, self.up.weight.T) + self.up.bias
        a = z * 0.5 * (1.0 + torch.erf(z / math.sqrt(2.0)))
        return torch.matmul(a, self.down.weight.T) + self.down.bias

# %% right: plain loops
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        answers = []
        for token in flat:
            inner = self.up(token)
            inner = F.gelu(inner)
            answers.append(self.down(inner))
        return torch.stack(answers).reshape(x.shape)

# %% right: sigmoid form of the approximation with tanh
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x)
        return self.down(z * torch.sigmoid(math.sqrt(8 / math.pi) * (z + 0.044715 * z**3)))
