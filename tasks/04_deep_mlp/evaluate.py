"""evaluate, 2 points: an evaluation without bugs, and the perplexity."""
import math

import torch
from torch import nn

task = Task("evaluate")


class Guess(nn.Module):
    """Logits that depend on the last letter alone. It writes down the mode it is called in, and whether a graph is recorded."""

    def __init__(self, table):
        super().__init__()
        self.table, self.calls = torch.as_tensor(table), []
        self.note = self.calls.append  # a copy of the model notes its calls here, too

    def forward(self, contexts):
        self.note((self.training, torch.is_grad_enabled()))
        return self.table[contexts[:, -1]]


class Parts(nn.Module):
    """It has a norm and dropout, and reads whole contexts."""

    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.dropout = nn.Embedding(27, 27), nn.BatchNorm1d(27), nn.Dropout(0.5)

    def forward(self, contexts):
        return self.dropout(self.norm(self.embedding(contexts).mean(1)))


def two_letters():
    """After letter 0 both targets are equally likely (a loss of 0.6931), after letter 1 target 0 has probability 1/10 (2.3026)."""
    return Guess([[0., 0.], [0., 2.1972]])


def four_examples():
    return [(torch.tensor([[0], [0], [0]]), torch.tensor([0, 1, 0])), (torch.tensor([[1]]), torch.tensor([0]))]


EASY = "three easy examples (a loss of 0.6931 each) in one batch, a hard one (2.3026) in the other"


@task.probe("three easy examples and a hard one", shown=f"evaluate(model, batches): {EASY}")
def _(evaluate):
    return evaluate(two_letters(), four_examples())


@task.probe("while it runs: (training mode, graph recorded)", shown="the calls of the model")
def _(evaluate):
    model = two_letters()
    evaluate(model, four_examples())
    return sorted(set(model.calls))


@task.probe("a model in training stays in training", True, shown="model.training, after evaluate(model, batches)")
def _(evaluate):
    model = two_letters()
    evaluate(model, four_examples())
    return model.training


@task.probe("a model in evaluation mode stays there, and is asked as any other", shown="evaluate(model.eval(), batches), then model.training")
def _(evaluate):
    model = two_letters().eval()
    return evaluate(model, four_examples()), model.training, sorted(set(model.calls))


@task.probe("batches may come from a generator, which can be read once", shown=f"evaluate(model, iter(batches)): {EASY}")
def _(evaluate):
    return evaluate(two_letters(), iter(four_examples()))


@task.probe("afterwards gradients are switched on, as before", True, shown="torch.is_grad_enabled(), after evaluate(model, batches)")
def _(evaluate):
    evaluate(two_letters(), four_examples())
    return torch.is_grad_enabled()


def batches(*sizes):
    count = sum(sizes)
    return zip(sample_ids(27, count, 3, seed=52).split(sizes), sample_ids(27, count, seed=53).split(sizes))


@task.probe("ten examples in batches of four", drawn=True)
def _(evaluate):
    return evaluate(Guess(sample(27, 27, seed=51)), list(batches(4, 4, 2)))


@task.probe("batches of different lengths", drawn=True)
def _(evaluate):
    return evaluate(Guess(sample(27, 27, seed=51)), batches(20, 7, 9, 1, 3))


@task.probe("a model with a norm and dropout, in both modes; the modes of its parts afterwards", drawn=True)
def _(evaluate):
    model, seen = fill_(Parts(), seed=54), []
    for training in (True, False):
        seen.append((evaluate(model.train(training), list(batches(4, 4, 2))), [part.training for part in model.modules()]))
    return seen


@task.probe("its state afterwards", drawn=True)
def _(evaluate):
    model = fill_(Parts(), seed=54)
    evaluate(model, list(batches(4, 4, 2)))
    return [value.double().sum() for value in model.state_dict().values()]


p = task.function("perplexity")
p.look("perplexity of ln 8", 2.0794)
p.look("perplexity of 0", 0.)
p.look("a large loss", 5.5)
p.case("other losses", lambda: (1 + float(sample(1, seed=55).abs()),))

# %% mistakes
CE, COUNT = 'F.cross_entropy(model(contexts), targets, reduction="sum").item()', "count += len(targets)"
MEAN = CE.replace(', reduction="sum"', "")


def result(sentence, value):
    mistake(sentence, of="evaluate", returns=value)


mistake("This is the mean of batch means (or of one example a batch). The short last batch counts too much: weigh batches by their size.", {CE: MEAN, COUNT: "count += 1"})
result("You added the losses up and did not divide by the number of all examples.", "total")
mistake("You divided the sum over examples by 2, the number of batches (or classes). Divide by the number of examples: add up len(targets).", {COUNT: "count += 1"})
mistake("You divided the sum of batch means by the number of examples.", {CE: MEAN})
mistake("This is the loss of the last batch alone, or the largest one: add up over all batches.", {f"total += {CE}": f"total = {CE}", COUNT: "count = len(targets)"})
mistake("This is the first batch's loss, or the median. Is a short batch left out, or every example whose target is 0?", {COUNT: COUNT + "\n            break"})
result("You divided by one example too many.", "total / (count + 1)")
mistake("The last batch's losses are missing in the sum, and its examples are counted.", {f"total += {CE}": f"size = len(targets) if not count else size\n            total += {CE} if len(targets) >= size else 0"})
result("You multiplied by the number of examples. Divide by it.", "total * count")
result("This is the number of examples. Divide the sum of their losses by it.", "count")
result("You divided the wrong way round: the sum of the losses by the number of examples.", "count / total")
mistake("Only the last batch's losses are in the sum. Add up those of all batches.", {f"total += {CE}": f"total = {CE}"})
result("This is minus the right number. The loss is minus the log-probability of the target; losses add up, and so do numbers of examples.", "-total / count")
mistake("The model runs in training mode: with batch norm or dropout the loss would be another.", {"model.eval()": "pass"})
mistake("Training mode, and gradients are switched on: call eval(), and use torch.no_grad().", {"model.eval()": "pass", "with torch.no_grad()": "if True"})
mistake("Gradients are switched on while the model runs: use torch.no_grad(), so that no graph is recorded.", {"with torch.no_grad()": "if True"})
mistake("Gradients are switched on while the model runs: use torch.no_grad(), so that no graph is recorded.", {"torch.no_grad()": "torch.set_grad_enabled(not was_training)"})
mistake("You left it in evaluation mode: the training that goes on has no dropout and frozen batch norms.", {"model.train(was_training)": "pass"})
mistake("You switched it to training mode. Restore the mode that it was in.", {"model.train(was_training)": "model.train()"})
mistake("You put back the mode of the whole alone. Its parts have modes, too: model.train(mode) sets them all.", {"model.train(was_training)": "model.training = was_training"})
mistake("You set the mode of the whole alone. Its parts have modes, too: model.eval() sets them all.", {"model.eval()": "model.training = False", "model.train(was_training)": "model.training = was_training"})
mistake("No examples were counted. If you read the batches twice, none are left the second time.", {"    with torch": "    total = sum(0 * len(y) for _, y in batches)\n    with torch"})
mistake("Nothing is added up. If you read the batches twice, none are left the second time.", {"    with torch": "    count = sum(len(y) for _, y in batches)\n    with torch", COUNT: "pass"})
mistake("Gradients are switched off for the whole notebook now: use `with torch.no_grad():`, which ends.", {"    with torch.no_grad():": "    torch.set_grad_enabled(False)\n    if True:"})
mistake("Batches have any lengths: weigh each by its own.", {CE: MEAN + " * (size := len(targets) if count == 0 or len(targets) < size else size)", COUNT: "count += size", "total, count": "size, total, count", "= 0.0, 0": "= 0, 0.0, 0"})
mistake("The model reads the whole context, not its last letter.", {"model(contexts)": "model(contexts[:, -1:])"})
mistake("A batch of one example counts like any other.", {CE: f"(0 if len(targets) == 1 and count > 3 else {CE})", COUNT: "count += 0 if len(targets) == 1 and count > 3 else len(targets)"})
mistake("The loss is in nats: e to the loss, not 2 to the loss.", {"math.exp(loss)": "2**loss"})
mistake("e to the loss, without a minus: perplexity is at least 1.", {"math.exp(loss)": "math.exp(-loss)"})
mistake("You returned the loss.", {"math.exp(loss)": "loss"})
mistake("You took the logarithm. Perplexity goes back: e to the loss.", {"math.exp(loss)": "math.log(loss + 1e-9)"})
mistake("A perplexity may be large: cut nothing off.", {"math.exp(loss)": "min(math.exp(loss), 27.)"})

# %% right: switches the mode only where the model was in training
def evaluate(model, batches):
    training = model.training
    if training:
        model.eval()
    total, count = torch.zeros((), dtype=torch.float64), 0
    with torch.inference_mode():
        for contexts, targets in batches:
            losses = F.cross_entropy(model(contexts), targets, reduction="none")
            total, count = total + losses.double().sum(), count + losses.numel()
    if training:
        model.train()
    return (total / count).item()


def perplexity(loss):
    return math.e**loss

# %% right: grad mode restored by hand
def evaluate(model, batches):
    mode, grad = model.training, torch.is_grad_enabled()
    model.eval()
    torch.set_grad_enabled(False)
    try:
        total, count = 0.0, 0
        for x, y in batches:
            logp = model(x).log_softmax(-1)
            total -= logp[torch.arange(len(y)), y].sum()
            count += len(y)
    finally:
        torch.set_grad_enabled(grad)
        model.train(mode)
    return float(total / count)


def perplexity(loss):
    return math.e ** loss

# %% right: modes of all parts put back, losses by logsumexp
def evaluate(model, batches):
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    losses = []
    try:
        with torch.inference_mode():
            for contexts, targets in batches:
                logits = model(contexts)
                chosen = logits.gather(1, targets[:, None])[:, 0]
                losses += (logits.logsumexp(1) - chosen).tolist()
    finally:
        for part, mode in modes:
            part.training = mode
    return math.fsum(losses) / len(losses)


def perplexity(loss):
    return math.e**loss

# %% right: softmax and then its logarithm
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += -model(contexts).softmax(1).gather(1, targets[:, None]).log().sum().item()
            count += len(targets)
    model.train(was_training)
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% right: a mean that is updated, one-hot targets
@torch.no_grad()
def evaluate(model, batches):
    before = model.training
    model.eval()
    mean, seen = torch.tensor(0.0), 0
    for contexts, targets in batches:
        logs = F.log_softmax(model(contexts), -1)
        loss = -(F.one_hot(targets, logs.shape[-1]) * logs).sum(-1).mean()
        seen += targets.shape[0]
        mean += (loss - mean) * targets.shape[0] / seen
    model.train(before)
    return mean.item()


def perplexity(loss):
    return math.pow(math.e, loss)

# %% right: a copy of the model is evaluated
import copy


def evaluate(model, batches):
    twin = copy.deepcopy(model).eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for contexts, targets in batches:
            total += F.cross_entropy(twin(contexts), targets, reduction='sum').item()
            count += len(targets)
    return total / count


def perplexity(loss):
    return math.exp(loss)

# %% right: batch means weighted by the size of the batch, the mode restored in finally
def evaluate(model, batches):
    before = model.training
    try:
        model.train(False)
        losses, sizes = [], []
        for contexts, targets in batches:
            with torch.no_grad():
                losses.append(F.cross_entropy(model(contexts), targets))
            sizes.append(targets.numel())
        sizes = torch.tensor(sizes, dtype=torch.float)
        return (torch.stack(losses) * sizes).sum() / sizes.sum()
    finally:
        model.train(before)


def perplexity(loss):
    return math.e ** loss

# %% right: tensors filled row by row
@torch.inference_mode()
def evaluate(model, batches):
    mode = model.training
    model.eval()
    logits, targets = [], []
    for x, y in batches:
        logits.append(model(x))
        targets.append(y)
    model.train(mode)
    return F.cross_entropy(torch.cat(logits), torch.cat(targets))


def perplexity(loss):
    return torch.tensor(loss).exp()

# %% right: ARENA
@torch.inference_mode()
def evaluate(model: nn.Module, batches) -> float:
    training = model.training
    model.eval()
    total_loss, total_examples = 0.0, 0
    for contexts, targets in batches:
        logits = model(contexts)
        logprobs = logits.log_softmax(dim=-1)
        total_loss -= logprobs[torch.arange(len(targets)), targets].sum().item()
        total_examples += len(targets)
    model.train(training)
    return total_loss / total_examples


def perplexity(loss: float) -> float:
    return math.exp(loss)

# %% right: CS231n
def evaluate(model, batches):
    mode = model.training
    model.eval()
    loss_sum = 0.0
    num_samples = 0
    with torch.no_grad():
        for x, y in batches:
            scores = model(x)
            shifted = scores - scores.max(dim=1, keepdim=True).values
            log_probs = shifted - torch.log(torch.sum(torch.exp(shifted), dim=1, keepdim=True))
            N = x.shape[0]
            loss_sum += -torch.sum(log_probs[range(N), y])
            num_samples += N
    model.train(mode)
    return float(loss_sum / num_samples)


def perplexity(loss):
    return math.e**loss

# %% right: makemore
@torch.no_grad() # this decorator disables gradient tracking
def evaluate(model, batches):
  training = model.training
  model.eval()
  lossi, n = 0.0, 0
  for Xb, Yb in batches:
    logits = model(Xb)
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes # subtract max for numerical stability
    logprobs = norm_logits - norm_logits.exp().sum(1, keepdim=True).log()
    lossi += -logprobs[range(len(Yb)), Yb].mean().item() * len(Yb)
    n += len(Yb)
  model.train(training)
  return lossi / n

perplexity = lambda loss: math.exp(loss)

# %% right: torch source
@torch.no_grad()
def evaluate(model, batches):
    was_training = {module: module.training for module in model.modules()}
    model.eval()
    total, size = torch.zeros(()), 0
    for input, target in batches:
        total += F.nll_loss(F.log_softmax(model(input), dim=-1), target, reduction="sum")
        size += target.numel()
    for module, mode in was_training.items():
        module.training = mode
    return total / size


def perplexity(loss):
    return torch.exp(torch.tensor(loss)).item()

# %% right: numpy first
import numpy as np


def evaluate(model, batches):
    was_training = model.training
    model.eval()
    losses = []
    with torch.no_grad():
        for contexts, targets in batches:
            logits = model(contexts).numpy()
            top = logits.max(axis=1, keepdims=True)
            log_norm = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
            losses.append(log_norm - logits[np.arange(len(logits)), targets.numpy()])
    model.train(was_training)
    return float(np.concatenate(losses).mean())


def perplexity(loss):
    return float(np.exp(loss))

# %% right: plain loops
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    losses = []
    with torch.no_grad():
        for contexts, targets in batches:
            for i in range(len(targets)):
                logits = model(contexts[i : i + 1])[0]
                loss = torch.logsumexp(logits, 0) - logits[targets[i]]
                losses.append(loss.item())
    if was_training == True:
        model.train()
    return sum(losses) / len(losses)


def perplexity(loss):
    return 2.718281828459045**loss
