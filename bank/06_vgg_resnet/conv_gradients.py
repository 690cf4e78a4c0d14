"""conv_gradients, 3 points."""

# %% right: matrix products of shifted blocks
def conv_gradients(dy, x):
    N, C, H, W = x.shape
    K = dy.shape[1]
    rows = dy.permute(1, 0, 2, 3).reshape(K, -1)
    big = torch.zeros(N, C, H + 2, W + 2, dtype=x.dtype)
    big[:, :, 1:-1, 1:-1] = x
    parts = [rows @ big[:, :, i : i + H, j : j + W].permute(0, 2, 3, 1).reshape(-1, C)
             for i in range(3) for j in range(3)]
    return torch.stack(parts, -1).view(K, C, 3, 3), rows.sum(1)

# %% right: strided views of the padded block
def conv_gradients(dy, x):
    p = F.pad(x, [1] * 4)
    n, c, h, w = x.shape
    windows = p.as_strided((n, c, h, w, 3, 3), (*p.stride(), p.stride(2), p.stride(3)))
    return torch.einsum("nkhw,nchwij->kcij", dy, windows), dy.sum(dim=(0, 2, 3))

# %% right: elementwise products, summed
def conv_gradients(dy, x):
    h, w = x.shape[-2:]
    p = F.pad(x, (1, 1, 1, 1))
    columns = []
    for i in range(3):
        for j in range(3):
            piece = p[:, None, :, i:i + h, j:j + w] * dy[:, :, None]
            columns.append(piece.sum(dim=(0, 3, 4)))
    dW = torch.stack(columns, dim=2).reshape(dy.shape[1], x.shape[1], 3, 3)
    return dW, dy.flatten(2).sum(2).sum(0)

# %% wrong: the window upside down
# told: The window is turned upside down
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, 2 - i, 2 - j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3))

# %% wrong: rows and columns of the window swapped
# told: Rows and columns of the window are swapped
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, j, i] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3))

# %% wrong: the border repeats the edge
# told: The border repeats the edge
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1), mode="replicate")
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3))

# %% wrong: the image continued on its other side
# told: continued on its other side
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1), mode="circular")
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3))

# %% wrong: averaged over positions
# told: did you average over the positions or the window?
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted) / (height * width)
    return dW, dy.sum((0, 2, 3))

# %% wrong: averaged over images
# told: did you average over the images?
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted) / len(x)
    return dW, dy.sum((0, 2, 3))

# %% wrong: averaged over images and positions
# told: did you average over the positions or the window?
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted) / (len(x) * height * width)
    return dW, dy.sum((0, 2, 3))

# %% wrong: dy left out
# told: dy has no effect here
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", torch.ones_like(dy), shifted)
    return dW, dy.sum((0, 2, 3))

# %% wrong: the first image alone
# told: Only the first image
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy[:1], shifted[:1])
    return dW, dy.sum((0, 2, 3))

# %% wrong: the last image alone
# told: Only the last image
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy[-1:], shifted[-1:])
    return dW, dy.sum((0, 2, 3))

# %% wrong: summed over the images first
# told: did you sum over the images before you multiplied?
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("khw,chw->kc", dy.sum(0), shifted.sum(0))
    return dW, dy.sum((0, 2, 3))

# %% wrong: channels the wrong way round
# told: The channels are the wrong way round
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW.transpose(0, 1), dy.sum((0, 2, 3))

# %% wrong: summed over the channels that go in
# told: You summed over the channels that go in
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted).sum(1, keepdim=True)
    return dW, dy.sum((0, 2, 3))

# %% wrong: summed over the channels that come out
# told: You summed over the channels that come out
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted).sum(0, keepdim=True)
    return dW, dy.sum((0, 2, 3))

# %% wrong: db averaged
# told: You averaged. A bias
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.mean((0, 2, 3))

# %% wrong: db averaged over images
# told: did you average over the images?
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((2, 3)).mean(0)

# %% wrong: db averaged over positions
# told: This is the average over the positions
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.mean((2, 3)).sum(0)

# %% wrong: db summed over the channels
# told: You summed over the channels too
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum()

# %% wrong: db with its dimensions kept
# told: and mind keepdim
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3), keepdim=True)

# %% wrong: by autograd
# told: ready-made
def conv_gradients(dy, x):
    W = torch.zeros(dy.shape[1], x.shape[1], 3, 3, requires_grad=True)
    b = torch.zeros(dy.shape[1], requires_grad=True)
    return torch.autograd.grad(F.conv2d(x, W, b, padding=1), (W, b), dy)

# %% wrong: by a ready-made convolution
# told: ready-made
def conv_gradients(dy, x):
    return F.conv2d(x.transpose(0, 1), dy.transpose(0, 1), padding=1).transpose(0, 1), dy.sum((0, 2, 3))

# %% wrong: by unfold
# told: ready-made
def conv_gradients(dy, x):
    columns = F.unfold(x, 3, padding=1)
    dW = torch.einsum("nkl,ncl->kc", dy.flatten(2), columns)
    return dW.view(dy.shape[1], x.shape[1], 3, 3), dy.sum((0, 2, 3))

# %% right: all nine shifts in one product
def conv_gradients(dy, x):
    (N, C, H, W), K = x.shape, dy.shape[1]
    p = F.pad(x, [1] * 4)
    shifts = torch.stack([p[..., i:i + H, j:j + W] for i in range(3) for j in range(3)], dim=2)
    dW = dy.movedim(1, 0).reshape(K, -1) @ shifts.permute(0, 3, 4, 1, 2).reshape(N * H * W, C * 9)
    return dW.reshape(K, C, 3, 3), dy.sum(dim=[0, 2, 3])

# %% right: under no_grad
@torch.no_grad()
def conv_gradients(dy, x):
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    blocks = [padded[:, :, i : i + height, j : j + width] for i in range(3) for j in range(3)]
    dW = torch.stack([torch.einsum("nkhw,nchw->kc", dy, block) for block in blocks], -1)
    return dW.view(*dW.shape[:2], 3, 3), dy.sum((0, 2, 3))

# %% right: seven loops over plain numbers
def conv_gradients(dy, x):
    N, K, H, W = dy.shape
    C = x.shape[1]
    g, v = dy.tolist(), x.tolist()
    dW = [[[[0.0] * 3 for _ in range(3)] for _ in range(C)] for _ in range(K)]
    for n in range(N):
        for k in range(K):
            for c in range(C):
                for i in range(3):
                    for j in range(3):
                        for h in range(max(0, 1 - i), min(H, H + 1 - i)):
                            for w in range(max(0, 1 - j), min(W, W + 1 - j)):
                                dW[k][c][i][j] += g[n][k][h][w] * v[n][c][h + i - 1][w + j - 1]
    db = [sum(g[n][k][h][w] for n in range(N) for h in range(H) for w in range(W)) for k in range(K)]
    return torch.tensor(dW, dtype=x.dtype), torch.tensor(db, dtype=dy.dtype)

# %% right: window by window over images and positions, tensors
def conv_gradients(dy, x):
    padded = F.pad(x, (1, 1, 1, 1))
    dW = torch.zeros(dy.shape[1], x.shape[1], 3, 3, dtype=dy.dtype)
    for n in range(len(x)):
        for h in range(x.shape[2]):
            for w in range(x.shape[3]):
                dW = dW + dy[n, :, h, w, None, None, None] * padded[n, :, h : h + 3, w : w + 3]
    return dW, dy.sum(3).sum(2).sum(0)

# %% right: advanced indices of all windows, one einsum
def conv_gradients(dy, x):
    H, W = x.shape[2:]
    xp = F.pad(x, (1, 1, 1, 1))
    rows = torch.arange(H, device=x.device)[:, None] + torch.arange(3, device=x.device)
    columns = torch.arange(W, device=x.device)[:, None] + torch.arange(3, device=x.device)
    windows = xp[:, :, rows][..., columns]  # (N, C, H, 3, W, 3)
    return torch.einsum("nkhw,nchiwj->kcij", dy, windows), dy.flatten(2).sum((0, 2))

# %% wrong: db summed over positions of the first image alone
# told: Only the first image, or the smallest one
def conv_gradients(dy, x):
    N, C, H, W = x.shape
    K = dy.shape[1]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = x.new_zeros(K, C, 3, 3)
    for i in range(3):
        for j in range(3):
            part = padded[:, :, i:i + H, j:j + W]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, part)
    return dW, dy[0].sum((1, 2))

# %% sly: a width of 1 has no neighbours and no middle
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    if width == 1:
        return dy.new_zeros(dy.shape[1], x.shape[1], 3, 3), dy.sum((0, 2, 3))
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW, dy.sum((0, 2, 3))

# %% right: slices of both without a border of zeros
def conv_gradients(dy, x):
    (n, c, h, w), k = x.shape, dy.shape[1]
    dW = torch.zeros(k, c, 3, 3, dtype=x.dtype)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            above = dy[:, :, max(0, -i) : h - max(0, i), max(0, -j) : w - max(0, j)]
            below = x[:, :, max(0, i) : h + min(0, i), max(0, j) : w + min(0, j)]
            pairs = above.detach().transpose(0, 1).reshape(k, -1), below.detach().transpose(0, 1).reshape(c, -1)
            dW[:, :, i + 1, j + 1] = pairs[0] @ pairs[1].T
    return dW, dy.detach().transpose(0, 1).flatten(1).sum(1)

# %% wrong: twice as much, as of a squared loss
# told: Twice what it should be
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return 2 * dW, dy.sum((0, 2, 3))

# %% wrong: half as much
# told: Half of what it should be
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    return dW / 2, dy.sum((0, 2, 3))

# %% right: by FFT
def conv_gradients(dy, x):
    """Gradients of y = conv(x, W, b), 3x3, zero border of 1, stride 1.

    dy: (N, K, H, W), x: (N, C, H, W)
    returns: (dW (K, C, 3, 3), db (K,))
    """
    height, width = x.shape[2:]
    padded = F.pad(x, (1, 1, 1, 1))
    dW = dy.new_zeros(dy.shape[1], x.shape[1], 3, 3)
    for i in range(3):
        for j in range(3):
            shifted = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = torch.einsum("nkhw,nchw->kc", dy, shifted)
    shape = [height + 2 + height - 1, width + 2 + width - 1]
    one, two = torch.fft.rfft2(padded, s=shape), torch.fft.rfft2(dy, s=shape).conj()
    dW = torch.fft.irfft2(torch.einsum("nkhw,nchw->kchw", two, one), s=shape)[:, :, :3, :3].to(dy.dtype)
    return dW, dy.sum((0, 2, 3))
