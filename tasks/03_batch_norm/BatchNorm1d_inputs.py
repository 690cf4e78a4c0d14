"""BatchNorm1d_inputs, 2 points: three dimensions, momentum=None, a single value."""
import torch
from torch import nn

task = Task("BatchNorm1d_inputs", by_hand="normalisation", targets=["BatchNorm1d"])
m = task.module("BatchNorm1d", skip=("effects", "double", "copies"))
LINE = [[[1., 2., 6.], [10., 20., 60.]]]  # one example, two channels, three positions


def ask(label, shown, function, *more, **options):
    """A probe of the class."""
    task.probe(label, *more, shown=shown, **options)(lambda BatchNorm1d: function(BatchNorm1d))


def record(layer, *batches):
    for batch in batches:
        layer(torch.tensor(batch))
    return {"running_mean": layer.running_mean, "running_var": layer.running_var}


def resumed(BatchNorm1d):
    layer = BatchNorm1d(1, momentum=None)
    layer.load_state_dict({**layer.state_dict(), "num_batches_tracked": torch.tensor(3)})
    return record(layer, [[0.], [8.]])["running_mean"]


ask("the layer is your own", "issubclass(BatchNorm1d, torch's batch norm)", lambda B: issubclass(B, nn.modules.batchnorm._NormBase), False,
    otherwise="You inherited from torch's ready-made batch norm: inherit from nn.Module and write it by hand.")
ask("momentum=None: the average over both batches", "bn = BatchNorm1d(1, momentum=None); bn(tensor([[0.], [2.]])); bn(tensor([[4.], [8.]]))",
    lambda B: record(B(1, momentum=None), [[0.], [2.]], [[4.], [8.]]))  # means 1 and 6, unbiased variances 2 and 8
ask("momentum=None: the fourth batch, after three in the state that was loaded", "bn(tensor([[0.], [8.]])), with momentum=None and num_batches_tracked 3", resumed)
m.look("one example with three positions: a channel is normalised over examples and positions", 2, x=LINE)
ask("its running statistics", f"bn = BatchNorm1d(2); bn(tensor({LINE}))", lambda B: record(B(2), LINE))
m.look("as many positions as channels: weight and bias belong to the channels", 2, x=[[[1., 3.], [10., 50.]]],
       state={"weight": [1., 10.], "bias": [0., 5.], "running_mean": [0., 0.], "running_var": [1., 1.], "num_batches_tracked": 0})
m.look("evaluation mode, three dimensions, a single value", 2, x=[[[3.], [10.]]], evaluate=True,
       state={"weight": [1., 10.], "bias": [0., 5.], "running_mean": [1., 4.], "running_var": [4., 9.], "num_batches_tracked": 2})
ask("one value per channel in training", "raises(BatchNorm1d(2), torch.zeros(1, 2))", lambda B: raises(B(2), torch.zeros(1, 2)))
ask("one value per channel, three dimensions", "raises(BatchNorm1d(2), torch.zeros(1, 2, 1))", lambda B: raises(B(2), torch.zeros(1, 2, 1)))
ask("one value of one channel, then four", "raises(BatchNorm1d(1), torch.zeros(1, 1)), raises(BatchNorm1d(1), torch.zeros(1, 1, 4))",
    lambda B: [raises(B(1), torch.zeros(1, 1)), raises(B(1), torch.zeros(1, 1, 4))])
ask("one value per channel in eval mode is fine", "raises(BatchNorm1d(2).eval(), torch.zeros(1, 2))", lambda B: raises(B(2).eval(), torch.zeros(1, 2)))


def life(label, shapes, modes, gradients=False, **options):
    """Batches of several shapes, one after the other, in some modes, and what the layer then holds."""
    @task.probe(label, drawn=True, tolerance=1e-3)
    def _(BatchNorm1d):
        layer = fill_(BatchNorm1d(3, **options), seed=51)
        seen = {}
        for number, (shape, mode) in enumerate(zip(shapes, modes.split())):
            x = (2 * sample(*shape, seed=52 + number) + 1).requires_grad_(gradients)
            out = layer.train(mode == "training")(x)
            seen[f"batch {number + 1}, {mode}"] = out.detach().clone()
        if gradients:
            slopes = torch.autograd.grad((sample(*shape, seed=62) * out).sum(), [x, layer.weight, layer.bias])
            seen |= dict(zip(["gradient of the last batch", "gradient of weight", "gradient of bias"], slopes))
        return {**seen, "state": dict(layer.state_dict())}


life("three batches of three dimensions, and the state after them", [(1, 3, 4), (3, 3, 3), (4, 3, 2)], "training training training", gradients=True)
life("as many examples as channels and positions, then two dimensions, in evaluation mode", [(3, 3, 3), (2, 3)], "evaluation evaluation")
life("momentum=None: outputs, and the state after four batches", [(6, 3), (4, 3), (9, 3), (2, 3, 2)], "training " * 4, momentum=None)

# %% mistakes
M = "self.running_mean.copy_((1 - m) * self.running_mean + m * mean)"
V = "self.running_var.copy_(\n                    (1 - m) * self.running_var + m * variance * n / (n - 1)\n                )"
DIMS, N, VALUE, NONE = "dims = (0,) if x.dim() == 2 else (0, 2)", "n = x.numel() // x.shape[1]", "if n == 1:", "1 / self.num_batches_tracked.item()"
ELSE = "        else:\n            mean, variance"
mistake("You inherited from torch's ready-made batch norm: inherit from nn.Module and write it by hand.", "class BatchNorm1d(nn.BatchNorm1d):\n    pass")
number = "momentum can be None, which is no number: then each of k batches weighs 1 / k."
mistake(number, {"if self.momentum is None": "if False"})
mistake("momentum=None is treated as 0.1. It means a plain average: each of k batches weighs 1 / k.", {NONE: "0.1"})
last = ("Only the last of the batches is left: m was 1 for it, too. With momentum=None each of k batches weighs 1 / k: is m always 1, or the batch counted after "
        "the division?")
mistake(last, {NONE: "1"})
mistake("The batch is counted after the division: with momentum=None the k-th batch weighs 1 / k.", {NONE: "1 / max(1, self.num_batches_tracked.item() - 1)"})
mistake("The first batch did not get m = 1: are the values that the running statistics start from counted as a batch, or is num_batches_tracked not 0 before "
        "it (shared with another layer)?", {NONE: "1 / (self.num_batches_tracked.item() + 1)"})
mistake("With momentum=None the running statistics do not move, or hardly: each of k batches weighs 1 / k.", {NONE: "0"})
mistake("You summed over the batches and did not divide.", {"if self.training:\n": "if self.training:\n            before = self.running_mean.clone(), self.running_var.clone()\n",
        ELSE: "            if self.momentum is None:\n                k = self.num_batches_tracked.item()\n                self.running_mean.copy_(before[0] + mean.detach())\n"
              "                self.running_var.copy_((before[1] if k > 1 else 0) + variance.detach() * n / (n - 1))\n" + ELSE})
mistake("The fourth batch counts for a quarter, also where three were counted in the state that was loaded: use num_batches_tracked.",
        {"self.num_batches_tracked += 1": "self.num_batches_tracked += 1\n                self.seen = getattr(self, 'seen', 0) + 1", NONE: "1 / self.seen"})
biased = "running_var takes the unbiased variance: the factor is n / (n - 1), where n counts the values per channel, N times L."
mistake(biased, {V: V.replace(" * n / (n - 1)", "")})
mistake("n is the number of values per channel, N times L, not N.", {V: V.replace("n / (n - 1)", "len(x) / (len(x) - 1) if len(x) > 1 else torch.full_like(mean, float('inf'))")})
mistake("n is the number of values per channel, N times L, not N times L times C.", {N: "n = x.numel()", VALUE: "if n == x.shape[1]:"})
mistake("This is what the unbiased variance gives. The output uses the biased one.", {ELSE: "            variance = variance * n / (n - 1)\n" + ELSE})
mistake("A ValueError for one example with three positions: these are three values per channel. Count values (N times L), not examples.", {VALUE: "if len(x) == 1:"})
mistake("The positions are averaged one by one: those of a channel share its statistics, over examples and positions, dims (0, 2).", {
        DIMS: "dims = (0,)", "mean.view(shape)": "(mean if mean.dim() == x.dim() - 1 else mean.view(shape))",
        "variance.view(shape)": "(variance if variance.dim() == x.dim() - 1 else variance.view(shape))",
        M: "mean_, variance_ = (mean, variance * n / (n - 1)) if mean.dim() == 1 else (x.mean((0, 2)), x.var((0, 2)))\n"
           "                self.running_mean.copy_((1 - m) * self.running_mean + m * mean_)", V: "self.running_var.copy_((1 - m) * self.running_var + m * variance_)"})
shapes = ("A RuntimeError. Do the shapes pair up for an (N, C, L) input? Statistics over dims (0, 2), weight and bias are (C,), and must become (1, C, 1).")
mistake(shapes, {DIMS: "dims = (0,)", "shape = (1, -1) if x.dim() == 2 else (1, -1, 1)": "shape = (1, -1)"})
mistake(shapes, returns="self.weight * x_hat + self.bias")
mistake("You normalised over the channels. Statistics run over examples and positions.", {
        DIMS: "dims = 0 if x.dim() == 2 else (0, 1)", "mean = x.mean(dims)": "mean = x.mean(dims, keepdim=True)",
        ".square().mean(dims)": ".square().mean(dims, keepdim=True)", "mean.view(shape)": "(mean if mean.dim() == x.dim() else mean.view(shape))",
        "variance.view(shape)": "(variance if variance.dim() == x.dim() else variance.view(shape))",
        M: "self.running_mean.copy_((1 - m) * self.running_mean + m * x.transpose(0, 1).flatten(1).mean(1))",
        V: "self.running_var.copy_((1 - m) * self.running_var + m * x.transpose(0, 1).flatten(1).var(1))"})
mistake("weight and bias were lined up with the positions: give them the shape (1, C, 1).",
        returns="self.weight * x_hat + self.bias if x.shape[-1] == x.shape[1] else self.weight.view(shape) * x_hat + self.bias.view(shape)")
mistake("Nothing was raised. One value per channel has no spread, however many channels there are: raise a ValueError that says so.", {VALUE: "if False:"})
mistake("Nothing was raised for two channels. One value per channel has no spread, however many channels there are.", {VALUE: "if x.numel() == 1:"})
mistake("(1, C, 1) is one value per channel too.", {VALUE: "if x.dim() == 2 and n == 1:"})
mistake("One value per channel is refused by a ValueError, not by another error.", {"raise ValueError": "raise RuntimeError"})
mistake("eval mode does not measure any spread: raise only where self.training is True.",
        {"if self.training:\n": "if x.numel() == x.shape[1]:\n            raise ValueError\n        if self.training:\n"})
mistake("Four values of a single channel are enough.", {VALUE: "if n == 1 or x.shape[1] == 1:"})
mistake("The second dimension is that of the channels, whatever the sizes are: as many examples as channels and positions change nothing.",
        {DIMS: "dims = (0,) if x.dim() == 2 else (1, 2) if x.shape[0] == x.shape[1] == x.shape[2] else (0, 2)"})
mistake("eval mode must not look at the batch, for three dimensions neither.",
        {"x_hat = ": "if x.dim() == 3 and len(x) > 1 and len(x) == x.shape[2]:\n            mean = x.mean(dims)\n        x_hat = "})
