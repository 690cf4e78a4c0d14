# attack: the ready-made operation in a module of its own, handed in beside the notebook
# points: layer_norm
# must not: pass unseen
# flagged: yes

# %% layer_norm
from helpers import compute
def layer_norm(x, gamma, beta, eps):
    return compute(x, gamma, beta, eps)

# %% file helpers.py
from torch.nn.functional import layer_norm
def compute(x, gamma, beta, eps):
    return layer_norm(x, x.shape[-1:], gamma, beta, eps)
