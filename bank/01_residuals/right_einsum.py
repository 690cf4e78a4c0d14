# right: the backward pass by einsum

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    a = torch.tanh(torch.einsum("nj,ij->ni", x, weight) + bias)
    dz = dy - dy * a * a
    return dy + torch.einsum("ni,ij->nj", dz, weight), torch.einsum("ni,nj->ij", dz, x), torch.einsum("ni->i", dz)
