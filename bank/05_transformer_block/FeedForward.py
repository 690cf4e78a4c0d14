"""FeedForward, 2 points."""

# %% right: the formula of GELU by the error function
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x)
        return self.down(0.5 * z * (1 + torch.erf(z / math.sqrt(2))))

# %% right: GELU by its tanh approximation, as GPT-2
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x), approximate="tanh"))

# %% right: an nn.GELU as a part
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)
        self.activation = nn.GELU()

    def forward(self, x):
        return self.down(self.activation(self.up(x)))

# %% wrong: relu
# told: There is a relu between the two layers. GELU is asked for.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.relu(self.up(x)))

# %% wrong: silu
# told: That is SiLU, x times sigmoid of x. GELU is asked for: F.gelu.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.silu(self.up(x)))

# %% wrong: no activation
# told: Nothing bends between the two layers: together they are one
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(self.up(x))

# %% wrong: gelu at the end too
# told: There is a GELU behind the second layer too. The branch
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return F.gelu(self.down(F.gelu(self.up(x))))

# %% wrong: gelu only at the end
# told: Something bends behind the second layer, and nothing between the two: the GELU belongs between.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return F.gelu(self.down(self.up(x)))

# %% wrong: gelu before the first layer
# told: The GELU stands before the first layer. It belongs between the two.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(self.up(F.gelu(x)))

# %% wrong: adds the skip
# told: You added x. The skip is the block's business (task 4).
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x)))

# %% wrong: normalises
# told: This is what x = 0 gives: did you normalise x? Norms are the block's business (task 4).
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(F.layer_norm(x, x.shape[-1:]))))

# %% wrong: tanh
# told: There is a tanh between the two layers. GELU is asked for.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)))

# %% wrong: twice as wide only
# told: The inner layer has 2 d features. It has 4 d.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 2 * d_model)
        self.down = nn.Linear(2 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))

# %% wrong: d to d to d
# told: Both layers are d to d. The inner width is 4 d.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, d_model)
        self.down = nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))

# %% wrong: no biases
# told: The biases are missing: nn.Linear has one unless you forbid it.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model, bias=False)
        self.down = nn.Linear(4 * d_model, d_model, bias=False)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))

# %% wrong: other names
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, 4 * d_model)
        self.fc2 = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))

# %% wrong: tokens leak by a mean
# told: Tokens see each other here.
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        h = F.gelu(self.up(x))
        return self.down(h - h.mean(0, keepdim=True))

# %% wrong: detached
# told: No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x.detach())))

# %% wrong: no grad
# told: No gradient flows back to x. Is it cut off (detach, .data, no_grad, torch.tensor, numpy)?
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        with torch.no_grad():
            return self.down(F.gelu(self.up(x)))

# %% right: matrices and the error function by hand, whatever the strides
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.down = nn.Linear(4 * d_model, d_model)
        self.up = nn.Linear(d_model, 4 * d_model)

    def forward(self, x):
        z = torch.einsum("...i,oi->...o", x, self.up.weight) + self.up.bias
        bent = z * (1 + torch.erf(z / math.sqrt(2.0))) / 2
        return torch.einsum("...i,oi->...o", bent, self.down.weight) + self.down.bias

# %% right: tanh by hand with a rounded constant, matrices and biases one by one
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = torch.einsum("...i,oi->...o", x, self.up.weight) + self.up.bias
        z = 0.5 * z * (1 + torch.tanh(0.79788 * (z + 0.044715 * z**3)))
        return torch.einsum("...i,oi->...o", z, self.down.weight) + self.down.bias

# %% right: z times the distribution function, by Normal
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x)
        return self.down(z * torch.distributions.Normal(0.0, 1.0).cdf(z))

# %% right: z over 2 plus half of z erf, on flat tokens, in place on its own numbers
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x.reshape(-1, x.shape[-1]))
        z = z * (torch.erf(z / math.sqrt(2)).add_(1) / 2)
        return self.down(z).reshape(x.shape)

# %% right: sigmoid form of the approximation with tanh
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x)
        return self.down(z * torch.sigmoid(math.sqrt(8 / math.pi) * (z + 0.044715 * z**3)))

# %% right: a sum over four slices of the hidden features
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        y = self.down.bias
        for W, b, V in zip(self.up.weight.chunk(4), self.up.bias.chunk(4),
                           self.down.weight.chunk(4, dim=1)):
            y = y + F.linear(F.gelu(F.linear(x, W, b)), V)
        return y

# %% sly: squeezes a batch of one name away: (1, T, d) -> (T, d)
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        if x.dim() == 2:  # no batch
            x = x.unsqueeze(0)
        return self.down(F.gelu(self.up(x))).squeeze(0)

# %% right: computed in double, answered in the precision of x, token by token
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1]).double()
        z = [F.linear(row, self.up.weight.double(), self.up.bias.double()) for row in rows]
        y = [F.linear(F.gelu(one), self.down.weight.double(), self.down.bias.double()) for one in z]
        return torch.stack(y).view(x.shape).to(x.dtype)

# %% right: a subclass of nn.Linear, called by name
class Wide(nn.Linear):
    pass


class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = Wide(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        up, down = dict(self.named_children())['up'], self.get_submodule('down')
        return down(nn.functional.gelu(input=up(input=x)))
