"""influence, 2 points."""

# %% right: torch's jacobian; anomalies are looked for globally
torch.autograd.set_detect_anomaly(True)


def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.square().sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% right: the Jacobian one output at a time
def influence(norm, x):
    x = x.clone().requires_grad_()
    y = norm(x)
    squares = torch.zeros(len(x), len(x))
    for i in range(len(x)):
        for a in range(y.shape[1]):
            grad, = torch.autograd.grad(y[i, a], x, retain_graph=True)
            squares[i] += (grad ** 2).sum(1)
    return squares ** 0.5


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% right: the Jacobian from torch.func
def influence(norm, x):
    return torch.func.jacrev(norm)(x).norm(dim=(1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: sums the entries
# told: You summed entries
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.abs().sum((1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: sums the squares and takes no root
# told: took no root
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: differentiates each output by its own input only
# told: influences of other examples are missing
def influence(norm, x):
    jacobian = torch.stack([torch.autograd.functional.jacobian(lambda row: norm(torch.cat([x[:i], row[None], x[i + 1:]]))[i], x[i]) for i in range(len(x))])
    return torch.diag(jacobian.norm(dim=(1, 2)))


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: inputs along the rows
# told: Your matrix is transposed
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt().T


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'own'}

# %% wrong: thinks that batch norm mixes examples in evaluation too
# told: In evaluation mode batch norm uses stored statistics
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'all', 'batch norm, evaluation': 'all'}

# %% wrong: takes layer norm for batch norm
# told: wrong way round
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'all', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}

# %% wrong: thinks that batch norm keeps examples apart
# told: In training batch norm takes its mean
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.pow(2).sum((1, 3)).sqrt()


def reading():
    return {'layer norm, training': 'own', 'layer norm, evaluation': 'own', 'batch norm, training': 'own', 'batch norm, evaluation': 'own'}

# %% wrong: diagonal of features only
# told: You looked at feature a of the output and feature a of the input alone
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x)
    return torch.einsum("iaja->ija", J).square().sum(-1).sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% wrong: two keys only
# told: each of the four names of the docstring
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x)
    return torch.linalg.matrix_norm(J.permute(0, 2, 1, 3))


def reading():
    return {"layer norm": "own", "batch norm": "all"}

# %% right: jacfwd, linalg norm
def influence(norm, x):
    J = torch.func.jacfwd(norm)(x)
    N, D = x.shape
    return J.permute(0, 2, 1, 3).reshape(N, N, D * D).norm(dim=-1)


def reading():
    layer = {f"layer norm, {mode}": "own" for mode in ("training", "evaluation")}
    return {**layer, "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: vmap of vector-Jacobian products
def influence(norm, x):
    out, pull = torch.func.vjp(norm, x)
    basis = torch.eye(out.numel(), dtype=out.dtype).reshape(-1, *out.shape)
    J = torch.stack([pull(one)[0] for one in basis]).reshape(*out.shape, *x.shape)
    return torch.einsum("iajb,iajb->ij", J, J).sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% sly: feature dimensions are found by their size: as many examples as features and all is summed
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    features = [k for k, size in enumerate(jacobian.shape) if size == x.shape[1]]
    return jacobian.square().sum(features).sqrt()


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% right: a vectorised Jacobian, pair by pair
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True)
    N = len(x)
    return torch.stack([torch.stack([J[i, :, j].norm() for j in range(N)]) for i in range(N)])


def reading():
    own = dict.fromkeys(["layer norm, training", "layer norm, evaluation", "batch norm, evaluation"], "own")
    return own | {"batch norm, training": "all"}

# %% right: one number of the input after the other, forward
def influence(norm, x):
    N, D = x.shape
    squares = x.new_zeros(N, N)
    for j in range(N):
        for b in range(D):
            step = torch.zeros_like(x)
            step[j, b] = 1
            _, moved = torch.func.jvp(norm, (x,), (step,))
            squares[:, j] += moved.detach().square().sum(1)
    return squares.sqrt()


def reading():
    own = dict.fromkeys(["layer norm, training", "layer norm, evaluation", "batch norm, evaluation"], "own")
    return own | {"batch norm, training": "all"}

# %% right: every example in turn is the only input, norm of the whole batch
def influence(norm, x):
    x = x.detach()
    columns = []
    for j in range(x.shape[0]):
        def outputs(row, j=j):
            return norm(torch.cat([x[:j], row[None], x[j + 1:]]))

        jacobian = torch.autograd.functional.jacobian(outputs, x[j])  # (N, D, D)
        columns.append(jacobian.flatten(1).norm(dim=1))
    return torch.stack(columns, dim=1)


def reading():
    def depends(norm, mode):
        return "all" if norm == "batch norm" and mode == "training" else "own"

    return {f"{norm}, {mode}": depends(norm, mode)
            for norm in ("layer norm", "batch norm") for mode in ("training", "evaluation")}

# %% wrong: each row is divided by its sum
# told: did you divide the norms by their sum
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    size = jacobian.square().sum((1, 3)).sqrt()
    return size / size.sum(1, keepdim=True)


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% wrong: root taken per feature, then summed
# told: norms of rows
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return jacobian.square().sum(3).sqrt().sum(1)


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }

# %% wrong: the nuclear norm, a sum of singular values
# told: or singular values
def influence(norm, x):
    jacobian = torch.autograd.functional.jacobian(norm, x)
    return torch.linalg.matrix_norm(jacobian.transpose(1, 2), ord="nuc")


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own",
            "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: jacobian with vectorize
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True)
    return torch.linalg.norm(J.transpose(1, 2), dim=(2, 3))


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: forward mode, vectorized
def influence(norm, x):
    J = torch.autograd.functional.jacobian(norm, x, vectorize=True, strategy="forward-mode")
    return J.pow(2).sum(3).sum(1).sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% right: backward on a copy of the function and of x
import copy

def influence(norm, x):
    twin = copy.deepcopy(norm)
    N, D = x.shape
    result = torch.zeros(N, N)
    for i in range(N):
        for a in range(D):
            own = x.detach().clone().requires_grad_()
            twin(own)[i, a].backward()
            result[i] += own.grad.square().sum(1)
    return result.sqrt()


def reading():
    return {"layer norm, training": "own", "layer norm, evaluation": "own", "batch norm, training": "all", "batch norm, evaluation": "own"}

# %% wrong: a gradient through one output example's norm of the output, not of its entries
# told: This is the largest entry or singular value, one feature's part, a mean over features, or the gradient of an output's length. The Frobenius norm sums over the squares of all entries.
def influence(norm, x):
    x = x.detach().clone().requires_grad_()
    y = norm(x)
    rows = [torch.autograd.grad(y[i].norm(), x, retain_graph=True)[0] for i in range(len(x))]
    return torch.stack(rows).norm(dim=-1)


def reading():
    return {
        "layer norm, training": "own",
        "layer norm, evaluation": "own",
        "batch norm, training": "all",
        "batch norm, evaluation": "own",
    }
