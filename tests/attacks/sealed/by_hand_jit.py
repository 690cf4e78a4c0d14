# attack: torch's own layers through torch.jit, with the operation's name inside a program in a string
# points: layer_norm
# must not: pass unseen
# flagged: yes

# %% layer_norm
unit = torch.jit.CompilationUnit("""
def f(x, gamma, beta, eps: float):
    return torch.layer_norm(x, [x.size(-1)], gamma, beta, eps)
""")
def layer_norm(x, gamma, beta, eps):
    return unit.f(x, gamma, beta, float(eps))
