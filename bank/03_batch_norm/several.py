"""Solutions that fill in several cells."""

# %% right: the mean removed by a matrix
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    N = x.shape[0]
    centred = (torch.eye(N, dtype=x.dtype) - 1 / N) @ x
    return gamma * centred / torch.sqrt((centred * centred).mean(0, keepdim=True) + eps) + beta

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N = x.shape[0]
    P = torch.eye(N, dtype=x.dtype) - 1 / N
    centred = P @ x
    std = torch.sqrt(centred.pow(2).mean(0) + eps)
    xhat = centred / std
    dx = torch.empty_like(x)
    for c in range(x.shape[1]):
        J = (P - torch.outer(xhat[:, c], xhat[:, c]) / N) / std[c]
        dx[:, c] = J @ (dy[:, c] * gamma[c])
    return dx, (dy * xhat).sum(0), dy.sum(0)

# %% right: sums by einsum
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    N = len(x)
    centred = x - torch.einsum("nc->c", x) / N
    var = torch.einsum("nc,nc->c", centred, centred) / N
    return torch.einsum("nc,c->nc", centred, gamma / (var + eps) ** 0.5) + beta

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N = x.shape[0]
    c = x - torch.einsum("nc->c", x) / N
    inv = 1 / (torch.einsum("nc,nc->c", c, c) / N + eps).sqrt()
    xhat = c * inv
    dgamma = torch.einsum("nc,nc->c", dy, xhat)
    dbeta = torch.einsum("nc->c", dy)
    return gamma * inv / N * (N * dy - dbeta - xhat * dgamma), dgamma, dbeta

# %% right: double precision inside, cast back
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    wide = x.double()
    centred = wide - wide.mean(0)
    return (centred / (centred.pow(2).mean(0) + eps).sqrt() * gamma + beta).to(x.dtype)

## calibrate
def calibrate(bn, batches):
    n, total, squares = 0, 0.0, 0.0
    for batch in batches:
        n += len(batch)
        total = total + batch.double().sum(0)
        squares = squares + batch.double().pow(2).sum(0)
    mean = total / n
    bn.running_mean.copy_(mean)
    bn.running_var.copy_((squares - n * mean ** 2) / (n - 1))
    return bn

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    wide = x.double()
    out = (wide - wide.mean(0)) / (wide.var(0, unbiased=False) + eps).sqrt()
    return (out * gamma + beta).to(x.dtype)

# %% right: a helper defined in the first cell serves the later ones
## batch_norm_train
def moments(x, dims=(0,)):
    mean = x.mean(dims, keepdim=True)
    return mean, (x - mean).pow(2).mean(dims, keepdim=True)


def batch_norm_train(x, gamma, beta, eps):
    mean, var = moments(x)
    return gamma * (x - mean) / (var + eps).sqrt() + beta

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    return batch_norm_train(x, gamma, beta, eps)

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    mean, var = moments(x)
    std = (var + eps).sqrt()
    xhat = (x - mean) / std
    dgamma, dbeta = torch.sum(dy * xhat, 0), torch.sum(dy, 0)
    dx = (dy - dbeta / len(x) - xhat * dgamma / len(x)) * gamma / std
    return [dx, dgamma, dbeta]

# %% right: var with correction=0, also inside the module
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() * gamma + beta

## BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x):
        dims = [d for d in range(x.ndim) if d != 1]
        if self.training:
            if x[:, 0].numel() < 2:
                raise ValueError("one value per channel")
            mean = x.mean(dims, keepdim=True)
            var = x.var(dims, correction=0, keepdim=True)
            self.num_batches_tracked.add_(1)
            m = self.momentum if self.momentum is not None else 1.0 / float(self.num_batches_tracked)
            self.running_mean.mul_(1 - m).add_(m * mean.detach().flatten())
            self.running_var.mul_(1 - m).add_(m * x.detach().var(dims))
        else:
            shape = [1, -1] + [1] * (x.ndim - 2)
            mean, var = self.running_mean.view(shape), self.running_var.view(shape)
        w = self.weight.view([1, -1] + [1] * (x.ndim - 2))
        b = self.bias.view([1, -1] + [1] * (x.ndim - 2))
        return (x - mean) / torch.sqrt(var + self.eps) * w + b

# %% right: whole notebook in ARENA's style
## batch_norm_train
from torch import Tensor


def batch_norm_train(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """x: shape (batch, features)."""
    batch, features = x.shape
    assert gamma.shape == beta.shape == (features,)
    mean = x.mean(dim=0, keepdim=True)
    var = x.var(dim=0, unbiased=False, keepdim=True)
    x_hat = (x - mean) / (var + eps) ** 0.5
    return torch.einsum("bf,f->bf", x_hat, gamma) + beta

## BatchNorm1d
class BatchNorm1d(nn.Module):
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        assert x.ndim in (2, 3)
        assert x.shape[1] == self.num_features
        reduce_dims = (0,) if x.ndim == 2 else (0, 2)
        if self.training:
            if x[:, 0].numel() < 2:
                raise ValueError("need at least two values per channel in training mode")
            mean = torch.mean(x, dim=reduce_dims)
            var = torch.var(x, dim=reduce_dims, unbiased=False)
            unbiased = torch.var(x, dim=reduce_dims, unbiased=True)
            self.num_batches_tracked += 1
            factor = (
                1.0 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
            )
            self.running_mean = (1 - factor) * self.running_mean + factor * mean.detach()
            self.running_var = (1 - factor) * self.running_var + factor * unbiased.detach()
        else:
            mean, var = self.running_mean, self.running_var
        equation = "bf,f->bf" if x.ndim == 2 else "bfl,f->bfl"
        scale = self.weight / torch.sqrt(var + self.eps)
        shift = self.bias - mean * scale
        return torch.einsum(equation, x, scale) + (shift if x.ndim == 2 else shift[:, None])

    def extra_repr(self) -> str:
        return ", ".join(f"{key}={getattr(self, key)}" for key in ["num_features", "eps", "momentum"])

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts: Tensor) -> Tensor:
        x = self.embedding(contexts)  # batch context d_embed
        batch, context, d_embed = x.shape
        x = x.reshape(batch, context * d_embed)
        x = self.hidden(x)
        x = self.norm(x)
        x = torch.tanh(x)
        logits = self.output(x)
        assert logits.shape[0] == contexts.shape[0]
        return logits

## bias_gradient_share
def bias_gradient_share(linear: nn.Linear, norm, x: Tensor, dy: Tensor) -> float:
    assert linear.bias is not None
    out = norm(linear(x))
    loss = torch.einsum("nc,nc->", out, dy)
    dW, db = torch.autograd.grad(loss, [linear.weight, linear.bias])
    return (torch.linalg.norm(db) / torch.linalg.norm(dW)).item()


def redundant_biases(network: nn.Sequential) -> int:
    total = 0
    for i in range(len(network) - 1):
        layer, nxt = network[i], network[i + 1]
        if isinstance(layer, nn.Linear) and isinstance(nxt, nn.BatchNorm1d):
            if layer.bias is not None:
                total += layer.out_features
    return total

## batch_norm_backward
def batch_norm_backward(
    dy: Tensor, x: Tensor, gamma: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    assert dy.shape == x.shape
    N = x.shape[0]
    mean = x.mean(0)
    inv_std = (x.var(0, unbiased=False) + eps).rsqrt()
    x_hat = (x - mean) * inv_std
    g = dy * gamma
    g_mean = torch.einsum("nc->c", g) / N
    g_along = torch.einsum("nc,nc->c", g, x_hat) / N
    dx = (g - g_mean - x_hat * g_along) * inv_std
    dgamma = torch.einsum("nc,nc->c", dy, x_hat)
    dbeta = torch.einsum("nc->c", dy)
    return dx, dgamma, dbeta

## fold_batch_norm
def fold_batch_norm(linear: nn.Linear, bn: nn.BatchNorm1d) -> nn.Linear:
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    old_bias = linear.bias if linear.bias is not None else torch.zeros(linear.out_features)
    folded = nn.Linear(linear.in_features, linear.out_features, bias=True)
    folded.weight = nn.Parameter(torch.einsum("o,oi->oi", scale, linear.weight).detach())
    folded.bias = nn.Parameter(((old_bias - bn.running_mean) * scale + bn.bias).detach())
    return folded

## calibrate
@torch.inference_mode()
def calibrate(bn: nn.BatchNorm1d, batches) -> nn.BatchNorm1d:
    x = torch.cat(list(batches), dim=0)
    assert x.ndim == 2
    bn.running_mean.copy_(x.mean(0))
    bn.running_var.copy_(x.var(0, unbiased=True))
    return bn

## share_of_start
def share_of_start(momentum: float, steps: int) -> float:
    assert 0 <= momentum <= 1
    return (1 - momentum) ** steps


def why_worse() -> str:
    return "b"

## normalise
def normalise(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    assert x.ndim == 2
    mean = x.mean(0)
    variance = x.var(0, unbiased=False)
    x_hat = (x - mean) * torch.rsqrt(variance + eps)
    return torch.einsum("nc,c->nc", x_hat, gamma) + beta

# %% right: whole notebook in CS231n's style
## batch_norm_train
def batchnorm_forward(x, gamma, beta, eps):
    N, D = x.shape
    # step 1: mean, step 2: centre, step 3: square, step 4: variance
    mu = 1.0 / N * torch.sum(x, axis=0)
    xmu = x - mu
    sq = xmu**2
    var = 1.0 / N * torch.sum(sq, axis=0)
    # step 5: root, step 6: invert, step 7: normalise
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    # step 8 and 9: scale and shift
    gammax = gamma * xhat
    out = gammax + beta
    cache = (xhat, gamma, xmu, ivar, sqrtvar, var, eps)
    return out, cache


def batch_norm_train(x, gamma, beta, eps):
    out, _ = batchnorm_forward(x, gamma, beta, eps)
    return out

## BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn_param = {"eps": eps, "momentum": momentum}
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        bn_param = self.bn_param
        mode = "train" if self.training else "test"
        flat = x
        if x.dim() == 3:
            N, C, L = x.shape
            flat = x.permute(0, 2, 1).reshape(N * L, C)
        M = flat.shape[0]
        if mode == "train":
            if M == 1:
                raise ValueError("a single value has no variance")
            sample_mean = flat.mean(axis=0)
            sample_var = ((flat - sample_mean) ** 2).mean(axis=0)
            out = (flat - sample_mean) / torch.sqrt(sample_var + bn_param["eps"])
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = bn_param["momentum"]
                if m is None:
                    m = 1.0 / int(self.num_batches_tracked)
                self.running_mean *= 1 - m
                self.running_mean += m * sample_mean
                self.running_var *= 1 - m
                self.running_var += m * sample_var * M / (M - 1)
        else:
            out = (flat - self.running_mean) / torch.sqrt(self.running_var + bn_param["eps"])
        out = out * self.weight + self.bias
        if x.dim() == 3:
            out = out.reshape(N, L, C).permute(0, 2, 1)
        return out

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N = contexts.shape[0]
        emb = self.embedding(contexts)
        affine1 = self.hidden(emb.reshape(N, -1))
        normed = self.norm(affine1)
        h = torch.tanh(normed)
        scores = self.output(h)
        return scores

## bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    linear.zero_grad()
    out = norm(linear(x))
    out.backward(dy)
    dW, db = linear.weight.grad, linear.bias.grad
    return float(torch.sqrt(torch.sum(db**2)) / torch.sqrt(torch.sum(dW**2)))


def redundant_biases(network):
    count = 0
    prev = None
    for layer in network:
        if type(layer) is nn.BatchNorm1d and type(prev) is nn.Linear:
            if prev.bias is not None:
                count += prev.bias.shape[0]
        prev = layer
    return count

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N, D = dy.shape
    mu = x.mean(axis=0)
    xmu = x - mu
    var = (xmu**2).mean(axis=0)
    sqrtvar = torch.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    # step 9, 8
    dbeta = dy.sum(axis=0)
    dgamma = (dy * xhat).sum(axis=0)
    dxhat = dy * gamma
    # step 7, 6, 5, 4
    divar = (dxhat * xmu).sum(axis=0)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / (sqrtvar**2) * divar
    dvar = 0.5 * 1.0 / sqrtvar * dsqrtvar
    dsq = 1.0 / N * torch.ones((N, D)) * dvar
    # step 3, 2, 1
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -1 * (dxmu1 + dxmu2).sum(axis=0)
    dx2 = 1.0 / N * torch.ones((N, D)) * dmu
    return dx1 + dx2, dgamma, dbeta

## fold_batch_norm
def fold_batch_norm(linear, bn):
    W = linear.weight.data
    b = linear.bias.data if linear.bias is not None else 0.0
    gamma, beta = bn.weight.data, bn.bias.data
    std = torch.sqrt(bn.running_var + bn.eps)
    out = nn.Linear(linear.in_features, linear.out_features)
    out.weight.data = W * (gamma / std).reshape(-1, 1)
    out.bias.data = gamma * (b - bn.running_mean) / std + beta
    return out

## calibrate
def calibrate(bn, batches):
    n = 0
    total = torch.zeros(bn.num_features)
    total_sq = torch.zeros(bn.num_features)
    for batch in batches:
        n += batch.shape[0]
        total += batch.sum(axis=0)
        total_sq += (batch**2).sum(axis=0)
    mean = total / n
    bn.running_mean[:] = mean
    bn.running_var[:] = (total_sq - n * mean**2) / (n - 1)
    return bn

## share_of_start
def share_of_start(momentum, steps):
    return (1.0 - momentum) ** steps


def why_worse():
    answer = "b"
    return answer

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    out, cache = batchnorm_forward(x, gamma, beta, eps)
    return out

# %% right: whole notebook in makemore's style
## batch_norm_train
def batch_norm_train(hpreact, bngain, bnbias, eps):
    n = hpreact.shape[0]
    bnmeani = 1/n*hpreact.sum(0, keepdim=True)
    bndiff = hpreact - bnmeani
    bndiff2 = bndiff**2
    bnvar = 1/n*bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + eps)**-0.5
    bnraw = bndiff * bnvar_inv
    return bngain * bnraw + bnbias

## BatchNorm1d
class BatchNorm1d(nn.Module):

  def __init__(self, dim, eps=1e-5, momentum=0.1):
    super().__init__()
    self.eps = eps
    self.momentum = momentum
    # parameters (trained with backprop)
    self.weight = nn.Parameter(torch.ones(dim))
    self.bias = nn.Parameter(torch.zeros(dim))
    # buffers (trained with a running 'momentum update')
    self.register_buffer('running_mean', torch.zeros(dim))
    self.register_buffer('running_var', torch.ones(dim))
    self.register_buffer('num_batches_tracked', torch.tensor(0))

  def forward(self, x):
    if x.ndim == 2:
      dim = 0
    elif x.ndim == 3:
      dim = (0,2)
    if self.training:
      if x.numel() == x.shape[1]:
        raise ValueError('one value per channel')
      xmean = x.mean(dim, keepdim=True) # batch mean
      xvar = x.var(dim, keepdim=True, unbiased=False) # batch variance
    else:
      xmean = self.running_mean if x.ndim == 2 else self.running_mean[None, :, None]
      xvar = self.running_var if x.ndim == 2 else self.running_var[None, :, None]
    xhat = (x - xmean) / torch.sqrt(xvar + self.eps) # normalize to unit variance
    w, b = (self.weight, self.bias) if x.ndim == 2 else (self.weight[:, None], self.bias[:, None])
    self.out = w * xhat + b
    # update the buffers
    if self.training:
      with torch.no_grad():
        self.num_batches_tracked += 1
        m = self.momentum if self.momentum is not None else 1/self.num_batches_tracked
        self.running_mean = (1 - m) * self.running_mean + m * xmean.view(-1)
        self.running_var = (1 - m) * self.running_var + m * x.var(dim)
    return self.out

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, Xb):
        emb = self.embedding.weight[Xb] # embed the characters into vectors
        embcat = emb.view(emb.shape[0], -1) # concatenate the vectors
        hpreact = self.hidden(embcat)
        h = torch.tanh(self.norm(hpreact))
        return h @ self.output.weight.T + self.output.bias

## bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    linear.weight.grad = None
    linear.bias.grad = None
    loss = (norm(linear(x)) * dy).sum()
    loss.backward()
    return ((linear.bias.grad**2).sum()**0.5 / (linear.weight.grad**2).sum()**0.5).item()


def redundant_biases(network):
    return sum(l.bias.nelement() for l, bn in zip(network[:-1], network[1:])
               if isinstance(l, nn.Linear) and isinstance(bn, nn.BatchNorm1d) and l.bias is not None)

## batch_norm_backward
def batch_norm_backward(dhpreact, hprebn, bngain, eps):
    n = hprebn.shape[0]
    bndiff = hprebn - hprebn.mean(0, keepdim=True)
    bnvar_inv = (bndiff.pow(2).mean(0, keepdim=True) + eps)**-0.5
    bnraw = bndiff * bnvar_inv
    dbngain = (bnraw * dhpreact).sum(0)
    dbnbias = dhpreact.sum(0)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - bnraw*(dhpreact*bnraw).sum(0))
    return dhprebn, dbngain, dbnbias

## fold_batch_norm
@torch.no_grad()
def fold_batch_norm(linear, bn):
    s = bn.weight * (bn.running_var + bn.eps)**-0.5
    new = nn.Linear(linear.weight.shape[1], linear.weight.shape[0])
    new.weight[:] = linear.weight * s.view(-1, 1)
    new.bias[:] = (0 if linear.bias is None else linear.bias) * s - bn.running_mean * s + bn.bias
    return new

## calibrate
@torch.no_grad()
def calibrate(bn, batches):
    hpreact = torch.cat([b for b in batches], 0)
    # measure the mean/std over the entire training set
    bn.running_mean = hpreact.mean(0)
    bn.running_var = hpreact.var(0)
    return bn

## share_of_start
share_of_start = lambda momentum, steps: (1 - momentum)**steps
why_worse = lambda: 'b'

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(0, keepdim=True)) / torch.sqrt(x.var(0, keepdim=True, unbiased=False) + eps) + beta

# %% right: whole notebook in the style of torch's own source
## batch_norm_train
def batch_norm_train(input, weight, bias, eps):
    r"""Applies Batch Normalization over a batch of 2D inputs."""
    if input.dim() != 2:
        raise ValueError(f"expected 2D input (got {input.dim()}D input)")
    save_mean = input.mean(dim=0)
    save_invstd = torch.rsqrt((input - save_mean).pow(2).mean(dim=0) + eps)
    alpha = weight * save_invstd
    return torch.addcmul(bias, input - save_mean, alpha)

## BatchNorm1d
class BatchNorm1d(nn.Module):
    __constants__ = ["momentum", "eps", "num_features"]
    num_features: int
    eps: float

    def __init__(self, num_features, eps=1e-5, momentum=0.1, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.empty(num_features, **factory_kwargs))
        self.bias = nn.Parameter(torch.empty(num_features, **factory_kwargs))
        self.register_buffer("running_mean", torch.zeros(num_features, **factory_kwargs))
        self.register_buffer("running_var", torch.ones(num_features, **factory_kwargs))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))
        self.reset_parameters()

    def reset_running_stats(self):
        self.running_mean.zero_()
        self.running_var.fill_(1)
        self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")

    def extra_repr(self):
        return "{num_features}, eps={eps}, momentum={momentum}".format(**self.__dict__)

    def forward(self, input):
        self._check_input_dim(input)
        if self.momentum is None:
            exponential_average_factor = 0.0
        else:
            exponential_average_factor = self.momentum
        size = input.size()
        reduced = [d for d in range(input.dim()) if d != 1]
        shape = [1, size[1]] + [1] * (input.dim() - 2)
        if self.training:
            size_prods = size[0]
            for i in range(len(size) - 2):
                size_prods *= size[i + 2]
            if size_prods == 1:
                raise ValueError(
                    f"Expected more than 1 value per channel when training, got input size {size}"
                )
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                exponential_average_factor = 1.0 / float(self.num_batches_tracked)
            var, mean = torch.var_mean(input, dim=reduced, correction=0)
            with torch.no_grad():
                self.running_mean.lerp_(mean, exponential_average_factor)
                self.running_var.lerp_(
                    var * size_prods / (size_prods - 1), exponential_average_factor
                )
        else:
            mean, var = self.running_mean, self.running_var
        invstd = torch.rsqrt(var + self.eps).view(shape)
        return (input - mean.view(shape)) * invstd * self.weight.view(shape) + self.bias.view(shape)

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, input):
        x = F.embedding(input, self.embedding.weight)
        x = torch.flatten(x, start_dim=1)
        x = F.linear(x, self.hidden.weight)
        x = torch.tanh(self.norm(x))
        return F.linear(x, self.output.weight, self.output.bias)

## bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    with torch.enable_grad():
        output = norm(linear(x))
        grad_weight, grad_bias = torch.autograd.grad(
            outputs=(output,), inputs=(linear.weight, linear.bias), grad_outputs=(dy,)
        )
    return torch.linalg.vector_norm(grad_bias) / torch.linalg.matrix_norm(grad_weight)


def redundant_biases(network):
    modules = list(network.children())
    count = 0
    for first_module, second_module in zip(modules[:-1], modules[1:]):
        if not isinstance(first_module, nn.Linear):
            continue
        if isinstance(second_module, nn.BatchNorm1d) and first_module.bias is not None:
            count += first_module.bias.numel()
    return count

## batch_norm_backward
def batch_norm_backward(grad_output, input, weight, eps):
    num_features = input.size(1)
    N = input.numel() // num_features
    save_mean = input.mean(0)
    save_invstd = torch.rsqrt(torch.mean((input - save_mean).square(), 0) + eps)
    grad_output_sum = grad_output.sum(0)
    dot_p = torch.sum(grad_output * (input - save_mean), 0)
    k = dot_p * save_invstd * save_invstd / N
    dx = (input - save_mean) * k
    grad_mean = grad_output_sum / N
    grad_input = (grad_output - grad_mean - dx) * save_invstd * weight
    return grad_input, dot_p * save_invstd, grad_output_sum

## fold_batch_norm
def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    if linear_b is None:
        linear_b = torch.zeros_like(bn_rm)
    bn_scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    fused_w = linear_w * bn_scale.unsqueeze(-1)
    fused_b = (linear_b - bn_rm) * bn_scale + bn_b
    return nn.Parameter(fused_w, linear_w.requires_grad), nn.Parameter(fused_b, True)


def fold_batch_norm(linear, bn):
    fused_linear = nn.Linear(linear.in_features, linear.out_features, bias=True)
    fused_linear.weight, fused_linear.bias = fuse_linear_bn_weights(
        linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused_linear

## calibrate
@torch.no_grad()
def calibrate(bn, batches):
    r"""Like torch.optim.swa_utils.update_bn, with all examples as one batch."""
    was_training, momentum = bn.training, bn.momentum
    counter = bn.num_batches_tracked.clone()
    bn.reset_running_stats()
    bn.train()
    bn.momentum = 1.0
    bn(torch.cat([*batches]))
    bn.momentum = momentum
    bn.num_batches_tracked.copy_(counter)
    bn.train(was_training)
    return bn

## share_of_start
def share_of_start(momentum, steps):
    return torch.pow(torch.tensor(1.0 - momentum), steps)


def why_worse():
    return "b"

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    return F.batch_norm(
        x, running_mean=None, running_var=None, weight=gamma, bias=beta, training=True, eps=eps
    )

# %% right: whole notebook, numpy first
## batch_norm_train
import numpy as np


def batch_norm_train(x, gamma, beta, eps):
    # gradients are asked for, so torch, written like numpy
    mu = torch.mean(x, axis=0, keepdims=True)
    sigma2 = torch.mean((x - mu) ** 2, axis=0, keepdims=True)
    return gamma[None, :] * ((x - mu) / torch.sqrt(sigma2 + eps)) + beta[None, :]

## BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.from_numpy(np.ones(num_features, dtype=np.float32)))
        self.bias = nn.Parameter(torch.from_numpy(np.zeros(num_features, dtype=np.float32)))
        self.register_buffer("running_mean", torch.from_numpy(np.zeros(num_features, np.float32)))
        self.register_buffer("running_var", torch.from_numpy(np.ones(num_features, np.float32)))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        axis = (0, 2) if x.ndim == 3 else (0,)
        expand = (lambda v: v[None, :, None]) if x.ndim == 3 else (lambda v: v[None, :])
        if self.training:
            values = np.moveaxis(x.detach().numpy(), 1, 0).reshape(x.shape[1], -1)
            if values.shape[1] == 1:
                raise ValueError("one value per channel")
            self.num_batches_tracked += 1
            m = self.momentum
            if m is None:
                m = 1 / self.num_batches_tracked.item()
            rm, rv = self.running_mean.numpy(), self.running_var.numpy()
            rm[:] = (1 - m) * rm + m * np.mean(values, axis=1)
            rv[:] = (1 - m) * rv + m * np.var(values, axis=1, ddof=1)
            mean = torch.mean(x, axis=axis)
            var = torch.mean((x - expand(mean)) ** 2, axis=axis)
        else:
            mean, var = self.running_mean, self.running_var
        xhat = (x - expand(mean)) / torch.sqrt(expand(var) + self.eps)
        return expand(self.weight) * xhat + expand(self.bias)

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        letters = [self.embedding(contexts[:, i]) for i in range(contexts.shape[1])]
        side_by_side = torch.concatenate(letters, axis=1)
        z = self.hidden(side_by_side)
        return self.output(torch.tanh(self.norm(z)))

## bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    z = linear(x).detach().requires_grad_()
    dz = torch.autograd.grad(norm(z), z, dy)[0].numpy()
    dW = dz.T @ x.detach().numpy()
    db = dz.sum(axis=0)
    return float(np.linalg.norm(db) / np.linalg.norm(dW))


def redundant_biases(network):
    kinds = np.array([type(layer).__name__ for layer in network])
    hits = np.flatnonzero((kinds[:-1] == "Linear") & (kinds[1:] == "BatchNorm1d"))
    return int(sum(len(network[int(i)].bias) for i in hits if network[int(i)].bias is not None))

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    dy, x, gamma = dy.detach().numpy(), x.detach().numpy(), gamma.detach().numpy()
    sigma = np.sqrt(np.var(x, axis=0) + eps)
    xhat = (x - np.mean(x, axis=0)) / sigma
    g = gamma * dy
    dx = (g - np.mean(g, axis=0) - xhat * np.mean(g * xhat, axis=0)) / sigma
    dgamma, dbeta = np.sum(dy * xhat, axis=0), np.sum(dy, axis=0)
    return torch.from_numpy(dx), torch.from_numpy(dgamma), torch.from_numpy(dbeta)

## fold_batch_norm
def fold_batch_norm(linear, bn):
    W = linear.weight.detach().numpy()
    b = np.zeros(W.shape[0]) if linear.bias is None else linear.bias.detach().numpy()
    s = bn.weight.detach().numpy() / np.sqrt(bn.running_var.numpy() + bn.eps)
    folded = nn.Linear(W.shape[1], W.shape[0])
    with torch.no_grad():
        folded.weight.copy_(torch.tensor(s[:, np.newaxis] * W))
        folded.bias.copy_(torch.tensor(s * (b - bn.running_mean.numpy()) + bn.bias.detach().numpy()))
    return folded

## calibrate
def calibrate(bn, batches):
    x = np.concatenate([batch.detach().numpy() for batch in batches], axis=0)
    bn.running_mean.copy_(torch.from_numpy(np.mean(x, axis=0)))
    bn.running_var.copy_(torch.from_numpy(np.var(x, axis=0, ddof=1)))
    return bn

## share_of_start
def share_of_start(momentum, steps):
    return float(np.prod(np.full(steps, 1 - momentum)))


def why_worse():
    return "abcd"[1]

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    mean = torch.mean(x, axis=0)
    variance = torch.mean(torch.square(x - mean), axis=0)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta

# %% right: whole notebook with a beginner's loops
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    N = x.shape[0]
    C = x.shape[1]
    columns = []
    for c in range(C):
        # the mean of this feature
        total = 0
        for i in range(N):
            total = total + x[i, c]
        mean = total / N
        # the variance of this feature
        total = 0
        for i in range(N):
            total = total + (x[i, c] - mean) * (x[i, c] - mean)
        variance = total / N
        column = []
        for i in range(N):
            value = (x[i, c] - mean) / torch.sqrt(variance + eps)
            column.append(gamma[c] * value + beta[c])
        columns.append(torch.stack(column))
    return torch.stack(columns, dim=1)

## BatchNorm1d
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        if self.training:
            if len(x.shape) == 2:
                n = x.shape[0]
            else:
                n = x.shape[0] * x.shape[2]
            if n == 1:
                raise ValueError("there is only one value per channel")
            self.num_batches_tracked = self.num_batches_tracked + 1
            if self.momentum is None:
                m = 1 / self.num_batches_tracked.item()
            else:
                m = self.momentum
        channels = []
        for c in range(self.num_features):
            if len(x.shape) == 2:
                values = x[:, c]
            else:
                values = x[:, c, :]
            if self.training:
                mean = values.sum() / n
                variance = ((values - mean) ** 2).sum() / n
                with torch.no_grad():
                    unbiased = ((values - mean) ** 2).sum() / (n - 1)
                    self.running_mean[c] = (1 - m) * self.running_mean[c] + m * mean
                    self.running_var[c] = (1 - m) * self.running_var[c] + m * unbiased
            else:
                mean = self.running_mean[c]
                variance = self.running_var[c]
            values = (values - mean) / (variance + self.eps) ** 0.5
            values = values * self.weight[c] + self.bias[c]
            channels.append(values)
        return torch.stack(channels, dim=1)

## MLP2
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        rows = []
        for context in contexts:
            row = []
            for letter in context:
                row.append(self.embedding(letter))
            rows.append(torch.cat(row))
        x = torch.stack(rows)
        x = self.hidden(x)
        x = self.norm(x)
        x = torch.tanh(x)
        x = self.output(x)
        return x

## bias_gradient_share
def bias_gradient_share(linear, norm, x, dy):
    linear.weight.grad = None
    linear.bias.grad = None
    y = norm(linear(x))
    loss = 0
    for i in range(len(y)):
        loss = loss + (dy[i] * y[i]).sum()
    loss.backward()
    weight_size = 0
    for row in linear.weight.grad:
        for number in row:
            weight_size += number.item() ** 2
    bias_size = 0
    for number in linear.bias.grad:
        bias_size += number.item() ** 2
    return bias_size**0.5 / weight_size**0.5


def redundant_biases(network):
    count = 0
    for i in range(len(network)):
        if i + 1 == len(network):
            break
        if isinstance(network[i], nn.Linear):
            if isinstance(network[i + 1], nn.BatchNorm1d):
                if network[i].bias is not None:
                    for entry in network[i].bias:
                        count = count + 1
    return count

## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N, C = x.shape
    dx = torch.zeros(N, C)
    dgamma = torch.zeros(C)
    dbeta = torch.zeros(C)
    for c in range(C):
        mean = sum(x[i, c] for i in range(N)) / N
        variance = sum((x[i, c] - mean) ** 2 for i in range(N)) / N
        std = (variance + eps) ** 0.5
        x_hat = [(x[i, c] - mean) / std for i in range(N)]
        g = [gamma[c] * dy[i, c] for i in range(N)]
        g_mean = sum(g) / N
        along = sum(g[i] * x_hat[i] for i in range(N)) / N
        for i in range(N):
            dgamma[c] += dy[i, c] * x_hat[i]
            dbeta[c] += dy[i, c]
            dx[i, c] = (g[i] - g_mean - x_hat[i] * along) / std
    return dx, dgamma, dbeta

## fold_batch_norm
def fold_batch_norm(linear, bn):
    new = nn.Linear(linear.in_features, linear.out_features)
    with torch.no_grad():
        for c in range(linear.out_features):
            scale = bn.weight[c] / (bn.running_var[c] + bn.eps) ** 0.5
            for j in range(linear.in_features):
                new.weight[c, j] = scale * linear.weight[c, j]
            if linear.bias is None:
                bias = 0
            else:
                bias = linear.bias[c]
            new.bias[c] = scale * (bias - bn.running_mean[c]) + bn.bias[c]
    return new

## calibrate
def calibrate(bn, batches):
    rows = []
    for batch in batches:
        for row in batch:
            rows.append(row)
    n = len(rows)
    mean = sum(rows) / n
    total = 0
    for row in rows:
        total = total + (row - mean) ** 2
    bn.running_mean = mean
    bn.running_var = total / (n - 1)
    return bn

## share_of_start
def share_of_start(momentum, steps):
    share = 1
    for step in range(steps):
        share = share * (1 - momentum)
    return share


def why_worse():
    return "b"

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    out = []
    for c in range(x.shape[1]):
        column = x[:, c]
        mean = column.mean()
        variance = ((column - mean) ** 2).mean()
        out.append(gamma[c] * (column - mean) / (variance + eps) ** 0.5 + beta[c])
    return torch.stack(out, dim=1)

# %% wrong: two tasks wrong at once
# fails: batch_norm_train, normalise
# told: This is what N - 1
## batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / torch.sqrt(x.var(0) + eps) + beta

## normalise
def normalise(x, gamma, beta, eps=1e-5):
    x = x.detach()
    return batch_norm_train(x, gamma, beta, eps)

# %% wrong: two tasks not begun
# fails: batch_norm_backward, fold_batch_norm
## batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    raise NotImplementedError("TODO: batch_norm_backward")

## fold_batch_norm
def fold_batch_norm(linear, bn):
    raise NotImplementedError("TODO: fold_batch_norm")
