# right: the mean removed by a matrix

# %% batch_norm_train
def batch_norm_train(x, gamma, beta, eps):
    N = x.shape[0]
    centred = (torch.eye(N) - torch.ones(N, N) / N) @ x
    return gamma * centred / torch.sqrt((centred * centred).mean(0, keepdim=True) + eps) + beta

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    N = x.shape[0]
    P = torch.eye(N) - torch.ones(N, N) / N
    centred = P @ x
    std = torch.sqrt(centred.pow(2).mean(0) + eps)
    xhat = centred / std
    dx = torch.empty_like(x)
    for c in range(x.shape[1]):
        J = (P - torch.outer(xhat[:, c], xhat[:, c]) / N) / std[c]
        dx[:, c] = J @ (dy[:, c] * gamma[c])
    return dx, (dy * xhat).sum(0), dy.sum(0)
