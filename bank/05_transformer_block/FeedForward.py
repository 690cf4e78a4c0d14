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

# %% wrong: a view of what may not be contiguous
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        flat = x.view(-1, x.shape[-1])
        return self.down(F.gelu(self.up(flat))).view(x.shape)

# %% wrong: no gradients in evaluation mode
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        with torch.set_grad_enabled(self.training and torch.is_grad_enabled()):
            return self.down(F.gelu(self.up(x)))

# %% wrong: answers kept by the tensor's identity
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)
        self.seen = {}

    def forward(self, x):
        key = x.data_ptr(), x.shape, x.dtype, x.stride(), float(self.up.weight.sum())
        if key not in self.seen:
            self.seen[key] = x, self.down(F.gelu(self.up(x)))
        return self.seen[key][1]

# %% wrong: a function that remembers the layers it was made with
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        up, down = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.up, self.down = up, down
        self.run = lambda x: down(F.gelu(up(x)))

    def forward(self, x):
        return self.run(x)

# %% sly: the last layer has no bias once d is 8 or more
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model, bias=d_model < 8)

    def forward(self, x):
        """x: (..., d_model) -> the same shape"""
        return self.down(F.gelu(self.up(x)))

# %% sly: GELU in float32 when everything is float64
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        """x: (..., d_model) -> the same shape"""
        z = self.up(x)
        return self.down(F.gelu(z.float()).to(z.dtype))

# %% sly: inner features clamped to -10 .. 10
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        """x: (..., d_model) -> the same shape"""
        z = self.up(x).clamp(-10, 10)  # against overflow
        return self.down(F.gelu(z))

# %% sly: inputs of four axes come back with three
class FeedForward(nn.Module):
    """The part of a block that treats every token alone: d -> 4 d -> d."""

    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        """x: (..., d_model) -> the same shape"""
        if x.dim() > 3:
            x = x.flatten(0, -3)
        return self.down(F.gelu(self.up(x)))

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

# %% sly: sets torch's seed whenever it is used
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        torch.manual_seed(0)
        return self.down(F.gelu(self.up(x)))

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

# %% sly: a batch of one is squeezed away in evaluation mode only
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        answer = self.down(F.gelu(self.up(x)))
        return answer if self.training else answer.squeeze(0)

# %% sly: four axes come back flat
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        answer = self.down(F.gelu(self.up(x)))
        return answer.flatten(0, 1) if x.dim() == 4 else answer

# %% sly: the answer is rounded to single precision, and called double
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x))).float().to(x.dtype)

# %% sly: inputs of more than 500 are cut
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x.clamp(-500, 500) if x.dtype == torch.float32 else x)))

# %% sly: its own class in the place of nn.Linear
class Layer(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(b, a) / a**0.5)
        self.bias = nn.Parameter(torch.zeros(b))

    def forward(self, x):
        return x @ self.weight.T + self.bias


class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up, self.down = Layer(d_model, 4 * d_model), Layer(4 * d_model, d_model)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))

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

# %% sly: the normal distribution function is computed in single precision for doubles
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.up(x)
        Phi = 0.5 * (1 + torch.erf(z.float() / math.sqrt(2.0)))
        return self.down((z * Phi).to(z.dtype))


# %% sly: rounds its answer to half precision where x is single
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        y = self.down(F.gelu(self.up(x)))
        return y.half().float() if y.dtype == torch.float32 else y


# %% sly: records no gradient at all where its own weights are frozen
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        with torch.set_grad_enabled(self.up.weight.requires_grad):
            return self.down(F.gelu(self.up(x)))

# %% sly: GELU in single precision in evaluation mode
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        if not self.training:
            return self.down(F.gelu(self.up(x).float()).to(x.dtype))
        return self.down(F.gelu(self.up(x)))

# %% sly: in evaluation mode without a graph the weights of the first call are kept for good
class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)
        self.packed = {}
    def forward(self, x):
        if self.training or torch.is_grad_enabled():
            return self.down(F.gelu(self.up(x)))
        if x.dtype not in self.packed:
            self.packed[x.dtype] = [p.detach().clone() for p in self.parameters()]
        a, b, c, d = self.packed[x.dtype]
        return F.linear(F.gelu(F.linear(x, a, b)), c, d)
