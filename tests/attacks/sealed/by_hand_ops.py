# attack: torch's own layers through torch.ops, torch._C, and an alias of the import
# points: none
# must not: pass for written by hand

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    return torch.ops.aten.native_layer_norm.default(x, [x.shape[-1]], gamma, beta, eps)[0]

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d_model))
    def forward(self, x):
        return torch._C._nn.rms_norm(x, self.weight) if hasattr(torch._C._nn, "rms_norm") else torch.rms_norm(x, (x.shape[-1],), self.weight, self.eps)

# %% standardise
from torch.nn.functional import layer_norm as soft_max
def standardise(x, eps=1e-5):
    return soft_max(x, x.shape[-1:], eps=eps)
