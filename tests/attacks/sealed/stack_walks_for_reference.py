# attack: calls the test's own lambdas and torch's layers found in its caller's names instead of computing
# points: none
# must not: find a reference layer in a sealed test

# %% batch_norm_tokens
import sys
def batch_norm_tokens(block, norm):
    names = sys._getframe(1).f_globals
    for name in ("reference", "expected", "scrambled", "plain", "wide"):
        if name in names:
            value = names[name]
            return value if isinstance(value, torch.Tensor) else value(block)
    return block

# %% RMSNorm
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
    def forward(self, x):
        found = [v for v in sys._getframe(1).f_back.f_globals.values() if isinstance(v, nn.Module) and v is not self]
        return found[0](x) if found else x
