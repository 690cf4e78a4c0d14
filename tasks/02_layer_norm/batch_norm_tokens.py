"""batch_norm_tokens, 1 point: batch norm over the right axes."""
import torch
from torch import nn

task = Task("batch_norm_tokens")


def norm_of(features, **options):
    """A batch norm with a weight and a bias that count."""
    return fill_(nn.BatchNorm1d(features, **options), seed=70)


def look(label, block, modes=("training",), state=None, **options):
    """A block, asked in some modes one after the other, and what the norm holds afterwards."""
    drawn = callable(block)

    @task.probe(label, drawn=drawn, shown=f"batch_norm_tokens(block, norm)   with {'a drawn block' if drawn else f'block = tensor({block})'}")
    def _(batch_norm_tokens):
        x = block() if drawn else torch.tensor(block)
        norm, seen = norm_of(x.shape[2], **options), {}
        if state:
            norm.load_state_dict(norm.state_dict() | {name: torch.tensor(value) for name, value in state.items()})
        for mode in modes:
            norm.train(mode == "training")
            seen[f"result in {mode}"] = batch_norm_tokens(x, norm)
        return seen | {"running_mean": norm.running_mean, "running_var": norm.running_var, "mode is training": norm.training}


block = [[[0., 0.], [2., 10.]], [[4., 20.], [6., 30.]], [[1., 50.], [5., 40.]]]
plain = dict(running_mean=[0., 0.], running_var=[1., 1.], weight=[1., 10.], bias=[0., 5.])
look("as many tokens as features, whose scales differ", block, state=plain)
look("three tokens, in evaluation mode", [[[0., 0.], [2., 10.], [1., 20.]]], ["evaluation"], state=plain)
look("other tokens than features, in both modes", lambda: 3 * sample(4, 5, 6, seed=71) + 1, ["training", "evaluation"])
look("as many tokens as features", lambda: sample(4, 3, 3, seed=72) * torch.tensor([1., 5., 9.]))
look("a single example, then the average over all batches", lambda: sample(1, 4, 3, seed=73), ["training"] * 2, momentum=None)


@task.probe("gradients reach the norm's weight and bias, and the block", drawn=True)
def _(batch_norm_tokens):
    seen = {}
    for mode in ("training", "evaluation"):
        norm, x = norm_of(3).train(mode == "training"), sample(2, 4, 3, seed=74).requires_grad_()
        (batch_norm_tokens(x, norm) * sample(2, 4, 3, seed=75)).sum().backward()
        seen |= {f"gradient of {name}, {mode}": one.grad for name, one in (("the block", x), *norm.named_parameters())}
    return seen


@task.probe("the block, torch's settings and the norm's mode stay as they are", [], core=False,
            otherwise="the call leaves something changed: the block, a gradient, the norm's mode or one of torch's settings")
def _(batch_norm_tokens):
    return changes(batch_norm_tokens, sample(2, 4, 3, seed=76), norm_of(3).eval())


# %% mistakes
sets = "02#which-numbers-share-a-mean"
mistake("The channels are still the token positions. Dimension 1 must be the features when norm sees it (and a reshape does not move "
        "an axis, a transpose does).", returns="norm(block)", see=sets)
mistake("The result is still transposed: move the features back to the last dimension (a reshape does not move an axis, a transpose does).",
        returns="norm(block.transpose(1, 2))")
mistake("The result is still transposed: move the features back to the last dimension (a reshape does not move an axis, a transpose does).",
        returns="norm(block.transpose(1, 2)).reshape(block.shape)")
mistake("You reshaped to (N, D, T). That scrambles the block: a reshape does not move an axis, a transpose does.",
        returns="norm(block.reshape(block.shape[0], block.shape[2], block.shape[1])).reshape(block.shape)")
mistake("You normalised each token on its own: that is layer norm.", returns="F.layer_norm(block, block.shape[-1:])", see=sets)
own = "The weight and bias of the norm you were given have no effect: call that norm itself, not one of your own, nor F.batch_norm without them."
mistake(own, returns="nn.BatchNorm1d(block.shape[2])(block.transpose(1, 2)).transpose(1, 2)")
mistake(own, returns="F.batch_norm(block.transpose(1, 2), norm.running_mean, norm.running_var, None, None, norm.training, norm.momentum or 0.1, norm.eps).transpose(1, 2)")
mistake("The running statistics of the norm you were given are as they were: call that norm itself (not a copy, nor F.batch_norm without "
        "them), in the mode it is in, and do not put the old ones back.",
        returns="__import__('copy').deepcopy(norm)(block.transpose(1, 2)).transpose(1, 2)")
mistake("You normalised with the batch in evaluation mode too: leave the norm you are given in its mode, and let it do the work.",
        returns="F.batch_norm(block.transpose(1, 2), norm.running_mean, norm.running_var, norm.weight, norm.bias, True, norm.momentum or 0.1, norm.eps).transpose(1, 2)")
mistake("You switched the norm to training: leave the norm you are given in its mode.", returns="norm.train()(block.transpose(1, 2)).transpose(1, 2)")
mistake("You switched the norm to evaluation: leave the norm you are given in its mode.", returns="norm.eval()(block.transpose(1, 2)).transpose(1, 2)")
mistake("The norm has a momentum of its own, also None (the average over all batches): call the norm itself.",
        returns="F.batch_norm(block.transpose(1, 2), norm.running_mean, norm.running_var, norm.weight, norm.bias, norm.training, 0.1, norm.eps).transpose(1, 2)")
mistake("No gradient reaches the norm's weight and the block: are they cut off (detach, data, no_grad, a copy), or not used?",
        returns="norm(block.transpose(1, 2)).transpose(1, 2).detach()")
mistake("No gradient reaches the block: is it cut off (detach, data, no_grad, a new tensor of it), or not used?",
        returns="norm(block.detach().transpose(1, 2)).transpose(1, 2)")

# %% right: permute
def batch_norm_tokens(block, norm):
    return norm(block.permute(0, 2, 1)).permute(0, 2, 1).contiguous()

# %% right: F.batch_norm with all that the norm holds
def batch_norm_tokens(block, norm):
    momentum = norm.momentum
    if norm.training:
        norm.num_batches_tracked += 1
        if momentum is None:
            momentum = 1 / float(norm.num_batches_tracked)
    out = F.batch_norm(block.flatten(0, 1), norm.running_mean, norm.running_var, norm.weight, norm.bias,
                       norm.training, momentum or 0.0, norm.eps)
    return out.unflatten(0, block.shape[:2])

# %% right: a copy of the block, one example after the other as rows
def batch_norm_tokens(block, norm):
    out = norm(torch.cat(list(block)))
    return torch.stack(out.chunk(len(block))) if len(block) > 1 else out[None]

# %% right: mT
def batch_norm_tokens(block, norm):
    return norm(block.mT.contiguous()).mT

# %% right: one long example: (1, D, N * T)
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    long = block.reshape(N * T, D).t().unsqueeze(0)
    return norm(long).squeeze(0).t().reshape(N, T, D)

# %% right: rows in the order of the tokens, put back
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    rows = torch.cat([block[:, t] for t in range(T)])
    return norm(rows).reshape(T, N, D).movedim(0, 1)

# %% right: one image of one row: (1, D, N, T) flattened
def batch_norm_tokens(block, norm):
    long = block.permute(2, 0, 1).flatten(1).unsqueeze(0)
    return norm(long).squeeze(0).unflatten(1, block.shape[:2]).permute(1, 2, 0)

# %% right: ARENA
def batch_norm_tokens(block: Tensor, norm: nn.BatchNorm1d) -> Tensor:
    n, t, d = block.shape
    assert d == norm.num_features
    return norm(block.reshape(n * t, d)).reshape(n, t, d)

# %% right: CS231n
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    x = block.reshape(N * T, D)
    out = norm(x)
    return out.reshape(N, T, D)

# %% right: makemore
def batch_norm_tokens(block, norm):
    return norm(block.reshape(-1, block.shape[-1])).view(block.shape)

# %% right: torch source
def batch_norm_tokens(block, norm):
    # BatchNorm1d takes (N, C, L)
    return norm(block.transpose(1, 2)).transpose(1, 2)

# %% right: numpy first
def batch_norm_tokens(block, norm):
    N, T, D = block.shape
    return norm(block.reshape((N * T, D))).reshape((N, T, D))

# %% right: plain loops
def batch_norm_tokens(block, norm):
    rows = []
    for example in block:
        for token in example:
            rows.append(token)
    out = norm(torch.stack(rows))
    examples = []
    for n in range(block.shape[0]):
        examples.append(out[n * block.shape[1]:(n + 1) * block.shape[1]])
    return torch.stack(examples)
