"""conv_gradients, 3 points: the gradient of a convolution by hand."""
import torch

task = Task("conv_gradients", by_hand=["autograd", "convolution", "unfold", "im2col"])
f = task.function(dy="N K H W", x="N C H W", gradient=False, skip=("drawn numbers", "other drawn numbers", "effects", "double"))
corner = torch.zeros(1, 1, 3, 3)
corner[0, 0, 0, 0] = 10.
pixels = [[[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]]]
# the corner of y is made of a corner of zeros and of the four pixels 1, 2, 4, 5
f.look("dW, if only the upper left corner matters, by 10", dy=corner.tolist(), x=pixels, of=first)
ones = torch.ones(2, 1, 3, 3)
f.look("dW of two images of ones: 4, 6 or 9 places, times 1 + 4", dy=(ones * torch.tensor([1., 4.])[:, None, None, None]).tolist(), x=ones.tolist(), of=first)
middle = torch.zeros(3, 3)
middle[1, 1] = 1.
f.look("the middle of dW, two channels in and three out", dy=[[(k * middle).tolist() for k in (1, 2, 3)]], x=[[(c * middle).tolist() for c in (1, 10)]],
       of=lambda both: both[0][:, :, 1, 1])
blocks = torch.tensor([[1., 2., 3.], [3., 6., 9.], [7., 14., 21.]])[:, :, None, None] * torch.ones(3, 5)
f.look("db of three images, three channels", dy=blocks.tolist(), x=torch.ones(3, 1, 3, 5).tolist(), of=second)


def case(n, c, k, h, w):
    f.case(f"{n} images of {h}×{w}, {c} channels in and {k} out", lambda: (sample(n, k, h, w, seed=210 + h), sample(n, c, h, w, seed=200 + h)))


case(3, 2, 4, 5, 6)
case(1, 3, 3, 4, 4)
case(2, 1, 2, 1, 7)
case(4, 2, 1, 3, 1)
case(1, 1, 1, 8, 9)


@task.probe("dy and x stay as they are, and so do torch's settings", [], core=False, otherwise="the call leaves dy, x or one of torch's settings changed")
def _(conv_gradients):
    return changes(conv_gradients, sample(2, 3, 4, 4, seed=220), sample(2, 2, 4, 4, seed=221))


# %% mistakes
W, B = 'torch.einsum("nkhw,nchw->kc", dy, shifted)', "dy.sum((0, 2, 3))"
dW, E = "dW[:, :, i, j] = ", 'torch.einsum("nkhw,nchw->kc", {})'
mistake("The window is turned upside down: W[..., 0, 0] should look one up and one to the left.", {dW: "dW[:, :, 2 - i, 2 - j] = "})
mistake("Rows and columns of the window are swapped.", {dW: "dW[:, :, j, i] = "})
mistake("Above and to the left the border is missing: W[..., 0, 0] should meet a zero in this corner.", {"(1, 1, 1, 1)": "(0, 2, 0, 2)"})
mistake("The border repeats the edge. Outside the image there are zeros.", {"(1, 1, 1, 1)": "(1, 1, 1, 1), mode='replicate'"})
mistake("The image is continued on its other side. Outside there are zeros.",
        {"padded[:, :, i : i + height, j : j + width]": "x.roll((1 - i, 1 - j), (2, 3))"})
mistake("Half of what it should be: nothing is halved or averaged here.", {W: "0.5 * " + W})
mistake("Twice what it should be: is there a factor of 2 left over?", {W: "2 * " + W})
shared = "This is a ninth: did you average over the positions or the window? A weight shared by all positions adds up what each contributes."
mistake(shared, {W: f"{W} / (height * width)"})
mistake(shared, {W: f"{W} / 9"})
mistake("You averaged over images and positions. Add up.", {W: f"{W} / (len(x) * height * width)"})
mistake("This is db. The order is dW, db.", returns=f"{B}, dW")
mistake("dy has no effect here: this is what a dy of ones gives.", {W: E.format("torch.ones_like(dy), shifted")})
mistake("This is half: did you average over the images? A weight shared by all of them adds up what each contributes.", {W: f"{W} / len(x)"})
mistake("Only the first image counts in your sum.", {W: E.format("dy[:1], shifted[:1]")})
mistake("Only the last image, or the larger one, counts in your sum.", {W: E.format("dy[-1:], shifted[-1:]")})
mistake("Twice too much: did you sum over the images before you multiplied? Each dy belongs to its own image.",
        {W: E.format("dy.sum(0, keepdim=True), shifted.sum(0, keepdim=True)")})
mistake("The channels are the wrong way round: dW is (K, C, 3, 3), channels that come out first.", returns=f"dW.transpose(0, 1), {B}")
mistake("You summed over the channels that go in. Each has a weight of its own.", {W: f"{W}.sum(1, keepdim=True)"})
mistake("You summed over the channels that come out. Each has a weight of its own.", {W: f"{W}.sum(0, keepdim=True)"})
mistake("You averaged. A bias shared by all images and positions adds up.", returns="dW, dy.mean((0, 2, 3))")
mistake("This is a third: did you average over the images? Sum over them.", returns="dW, dy.sum((2, 3)).mean(0)")
position = "This is the average over the positions, or one of them: sum over all."
mistake(position, returns="dW, dy.mean((2, 3)).sum(0)")
mistake(position, returns="dW, dy[:, :, 0, 0].sum(0)")
mistake("Only the first image, or the smallest one, counts in your sum.", returns="dW, dy[0].sum((1, 2))")
mistake("Only the last image, or the largest one, counts in your sum.", returns="dW, dy[-1].sum((1, 2))")
mistake("You summed over the channels too. Each has its own bias.", returns="dW, dy.sum()")
kept = "db has one number a channel, shape (K,): sum over images and positions (and mind keepdim)."
mistake(kept, returns="dW, dy.sum((0, 2, 3), keepdim=True)")
mistake(kept, returns="dW, dy")

# %% right: strided views of the padded block
def conv_gradients(dy, x):
    p = F.pad(x, [1] * 4)
    n, c, h, w = x.shape
    windows = p.as_strided((n, c, h, w, 3, 3), (*p.stride(), p.stride(2), p.stride(3)))
    return torch.einsum("nkhw,nchwij->kcij", dy, windows), dy.sum(dim=(0, 2, 3))

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

# %% right: advanced indices of all windows, one einsum
def conv_gradients(dy, x):
    H, W = x.shape[2:]
    xp = F.pad(x, (1, 1, 1, 1))
    rows = torch.arange(H, device=x.device)[:, None] + torch.arange(3, device=x.device)
    columns = torch.arange(W, device=x.device)[:, None] + torch.arange(3, device=x.device)
    windows = xp[:, :, rows][..., columns]  # (N, C, H, 3, W, 3)
    return torch.einsum("nkhw,nchiwj->kcij", dy, windows), dy.flatten(2).sum((0, 2))

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

# %% right: ARENA
def conv_gradients(
    dy: torch.Tensor, x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    N, K, H, W = dy.shape
    C = x.shape[1]
    assert x.shape == (N, C, H, W)
    padded = F.pad(x, (1, 1, 1, 1))
    stride_n, stride_c, stride_h, stride_w = padded.stride()
    windows = padded.as_strided(
        (N, C, H, W, 3, 3), (stride_n, stride_c, stride_h, stride_w, stride_h, stride_w)
    )
    dW = torch.einsum("nkhw,nchwij->kcij", dy, windows)
    db = torch.einsum("nkhw->k", dy)
    return dW, db

# %% right: CS231n
def conv_gradients(dy, x):
    N, C, H, W = x.shape
    K = dy.shape[1]
    dout = dy
    cache = (x, 1)
    x, pad = cache
    x_padded = F.pad(x, (pad, pad, pad, pad))
    dw = torch.zeros((K, C, 3, 3))
    db = dout.sum(dim=(0, 2, 3))
    for i in range(H):
        for j in range(W):
            window = x_padded[:, :, i : i + 3, j : j + 3].reshape(N, -1)
            dw += (dout[:, :, i, j].T @ window).reshape(K, C, 3, 3)
    return dw, db

# %% right: makemore
def conv_gradients(dy, x):
    xpad = F.pad(x, (1, 1, 1, 1))
    H, W = x.shape[2:]
    dW = torch.stack([torch.stack([torch.einsum('nkhw,nchw->kc', dy, xpad[:, :, i:i+H, j:j+W]) for j in range(3)], -1) for i in range(3)], -2)
    return dW, dy.sum((0, 2, 3))

# %% right: torch source
def conv_gradients(dy: torch.Tensor, x: torch.Tensor):
    height, width = x.shape[-2:]
    grad_weight = x.new_empty(dy.size(1), x.size(1), 3, 3)
    grad_output = dy.transpose(0, 1).flatten(1)  # (K, N H W)
    input = F.pad(x, (1, 1, 1, 1))
    for i in range(3):
        for j in range(3):
            patch = input.narrow(2, i, height).narrow(3, j, width)
            grad_weight[:, :, i, j] = torch.mm(grad_output, patch.transpose(0, 1).flatten(1).t())
    return grad_weight, grad_output.sum(1)

# %% right: numpy first
import numpy as np


def conv_gradients(dy, x):
    dy, x = dy.detach().numpy(), x.detach().numpy()
    height, width = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    dW = np.zeros((dy.shape[1], x.shape[1], 3, 3), dtype=x.dtype)
    for i in range(3):
        for j in range(3):
            moved = padded[:, :, i : i + height, j : j + width]
            dW[:, :, i, j] = np.tensordot(dy, moved, axes=([0, 2, 3], [0, 2, 3]))
    return torch.from_numpy(dW), torch.from_numpy(dy.sum(axis=(0, 2, 3)))

# %% right: plain loops
def conv_gradients(dy, x):
    N, K, H, W = dy.shape
    C = x.shape[1]
    dW = torch.zeros(K, C, 3, 3)
    db = torch.zeros(K)
    for n in range(N):
        for k in range(K):
            for h in range(H):
                for w in range(W):
                    db[k] += dy[n, k, h, w]
                    for i in range(3):
                        for j in range(3):
                            row = h + i - 1
                            column = w + j - 1
                            if 0 <= row < H and 0 <= column < W:
                                for c in range(C):
                                    dW[k, c, i, j] += dy[n, k, h, w] * x[n, c, row, column]
    return dW, db
