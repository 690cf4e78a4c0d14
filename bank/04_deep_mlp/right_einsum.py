# right: the gradient with einsum, the slope as 1 / cosh^2

# %% residual_backward
def residual_backward(dy, x, W, b, s):
    z = torch.einsum("nd,de->ne", x, W) + b
    dz = s * dy / torch.cosh(z) ** 2
    return dy + torch.einsum("ne,de->nd", dz, W), torch.einsum("nd,ne->de", x, dz), torch.einsum("ne->e", dz)
