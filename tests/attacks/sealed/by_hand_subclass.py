# attack: a subclass of torch's own layer, by a class statement, by type() and by changing __bases__
# points: none
# must not: pass for written by hand

# %% LayerNorm
class LayerNorm(nn.LayerNorm):
    pass

# %% RMSNorm
RMSNorm = type("RMSNorm", (nn.RMSNorm,), {"__init__": lambda self, d, eps=1e-6: nn.RMSNorm.__init__(self, d, eps=eps)})
