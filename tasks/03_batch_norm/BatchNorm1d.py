"""BatchNorm1d, 3 points: a layer that can replace torch's, of inputs (N, C)."""
import torch
from torch import nn

task = Task("BatchNorm1d", by_hand="normalisation")
m = task.module(skip=("effects", "double", "copies"))
COLUMN = [[1.], [2.], [6.]]  # mean 3, squared distances 4 + 1 + 9


def after(label, part, *, recorded=True, otherwise=None, **options):
    """What a layer holds, or answers, once it has seen a batch in training mode."""
    text = ", ".join(["1", *(f"{name}={value}" for name, value in options.items())])

    @task.probe(label, otherwise=otherwise, shown=f"after bn = BatchNorm1d({text}); bn(tensor({COLUMN})){'' if recorded else ' under no_grad'}")
    def _(BatchNorm1d):
        layer = BatchNorm1d(1, **options)
        with torch.set_grad_enabled(recorded):
            layer(torch.tensor(COLUMN))
        return part(layer)


def in_evaluation(layer):
    return layer.eval()(torch.tensor([[2.], [0.3]]))


def holds(layer):
    return dict(layer.state_dict())


@task.probe("the layer is your own", False, otherwise="You inherited from torch's ready-made batch norm: inherit from nn.Module and write it by hand.",
            shown="issubclass(BatchNorm1d, torch's batch norm)")
def _(BatchNorm1d):
    return issubclass(BatchNorm1d, nn.modules.batchnorm._NormBase)


m.state("what a fresh layer holds, and what of it learns", 2)
m.look("training: normalised with the statistics of the batch", 1, x=COLUMN)
after("training: the running statistics move by a tenth", lambda layer: {"running_mean": layer.running_mean, "running_var": layer.running_var})
m.look("training: gradients flow through mean and variance, and reach weight and bias", 1, x=[[0.], [0.], [4.], [4.]], pull=[[4.], [0.], [0.], [0.]])
after("training: the batch is counted", lambda layer: layer.num_batches_tracked,
      otherwise="num_batches_tracked starts at 0 and counts the batches in training mode, one by one. Is it shared with another layer (made once, outside of "
                "__init__)?")
after("the running statistics carry no graph", lambda layer: [layer.running_mean.requires_grad, layer.running_var.requires_grad])
after("eval: normalised with the running statistics", in_evaluation)
after("eval: nothing is updated", lambda layer: (in_evaluation(layer), layer.eval())[1] and holds(layer))
state = dict(running_mean=[0.], running_var=[1.], num_batches_tracked=0)
m.look("training: weight, bias and an eps of 2 / 3", 1, eps=2 / 3, state={"weight": [2.], "bias": [5.], **state}, x=COLUMN)
m.look("eval: an eps of 3, and a running variance of 6", 1, eps=3., state={"weight": [1.], "bias": [0.], **state, "running_var": [6.]}, x=[[6.]], evaluate=True)
after("momentum 0: the running statistics stay, the batch is counted", holds, momentum=0.)
after("another layer has statistics of its own", lambda layer: holds(type(layer)(1)),
      otherwise="A new layer starts where every layer starts: make its tensors in __init__, anew for each.")
after("training mode is training mode, also under no_grad", holds, recorded=False)


def life(label, modes, scale=2., shift=1., gradients=False, **options):
    """Batches of several sizes, one after the other, in some modes, and what the layer then holds."""
    @task.probe(label, drawn=True, tolerance=1e-3)
    def _(BatchNorm1d):
        layer = fill_(BatchNorm1d(4, **options), seed=21)
        around, seen, loss, batches = nn.Sequential(layer), {}, 0., []
        for number, mode in enumerate(modes.split()):
            x = (scale * sample(4 + number, 4, seed=22 + number) + shift).requires_grad_(gradients)
            out = around.train(mode == "training")(x)
            seen[f"batch {number + 1}, {mode}"] = out.detach().clone()
            loss, batches = loss + (sample(4 + number, 4, seed=32 + number) * out).sum(), [*batches, x]
        if gradients:
            slopes = torch.autograd.grad(loss, [*batches, layer.weight, layer.bias])
            names = [*(f"batch {number + 1}" for number in range(len(batches))), "weight", "bias"]
            seen |= {f"gradient of {name}": slope for name, slope in zip(names, slopes)}
        return seen if gradients else {**seen, "state": holds(layer)}


life("evaluation and training in turns, with gradients", "evaluation training evaluation training", gradients=True)
life("two batches in training mode with an eps of 0.5 and a momentum of 0.9, and the state after them", "training training", eps=0.5, momentum=0.9)
life("small numbers, the eps that there is without one, and momentum 0", "training", 0.01, 0., momentum=0.)


@task.probe("it loads torch's state: a single example in evaluation mode", drawn=True)
def _(BatchNorm1d):
    layer = BatchNorm1d(5).eval()
    layer.load_state_dict(fill_(nn.BatchNorm1d(5), seed=41).state_dict())
    return layer(sample(1, 5, seed=42))


@task.probe("x and torch's settings stay as they are", [], core=False, otherwise="the call leaves something changed: x, a gradient or one of torch's settings")
def _(BatchNorm1d):
    layer = fill_(BatchNorm1d(3), seed=43)
    return changes(layer, sample(4, 3, seed=44)) + changes(layer.eval(), sample(4, 3, seed=44).requires_grad_())


# %% mistakes
M = "self.running_mean.copy_((1 - m) * self.running_mean + m * mean)"
V = "self.running_var.copy_(\n                    (1 - m) * self.running_var + m * variance * n / (n - 1)\n                )"
ELSE, EVAL = "        else:\n            mean, variance", "mean, variance = self.running_mean, self.running_var"
NORM, OUT = "(x - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)", "self.weight.view(shape) * x_hat + self.bias.view(shape)"
WEIGHT, BIAS = "nn.Parameter(torch.ones(num_features))", "nn.Parameter(torch.zeros(num_features))"
COUNTER = 'self.register_buffer("num_batches_tracked", torch.tensor(0))'
RM, RV = 'self.register_buffer("running_mean", torch.zeros(num_features))', 'self.register_buffer("running_var", torch.ones(num_features))'
MOMENTUM = "if self.momentum is None"


def training(sentence, code):
    """A statistic of the batch is another one for the result, not for the record."""
    mistake(sentence, {ELSE: f"            {code}\n{ELSE}"})


def evaluation(sentence, value):
    """In evaluation mode alone the result is another one."""
    mistake(sentence, x_hat=f"{NORM} if self.training else {value}")


def mean(sentence, value):
    mistake(sentence, {M: f"self.running_mean.copy_({value})"})


def var(sentence, value):
    mistake(sentence, {V: f"self.running_var.copy_({value})"})


saved = "The running statistics and the counter are not saved: register them as buffers (register_buffer, and not with persistent=False)."
plain = {RM: "self.running_mean = torch.zeros(num_features)", RV: "self.running_var = torch.ones(num_features)"}
mistake(saved, {**plain, COUNTER: "self.num_batches_tracked = torch.tensor(0)"})
mistake("The running statistics are not saved: register them as buffers (register_buffer, and not with persistent=False).", plain)
mistake("The counter num_batches_tracked is missing, so your layer cannot load torch's state dict: register it as a buffer too (not with persistent=False).",
        {COUNTER: "self.num_batches_tracked = torch.tensor(0)"})
mistake("The counter num_batches_tracked is an integer tensor of shape ().", {"torch.tensor(0)": "torch.tensor(0.)"})
mistake("The counter num_batches_tracked is an integer tensor of shape ().", {"torch.tensor(0)": "torch.tensor([0])"})
mistake("You inherited from torch's ready-made batch norm: inherit from nn.Module and write it by hand.", "class BatchNorm1d(nn.BatchNorm1d):\n    pass")
mistake("A running variance of 0 would divide by almost nothing in eval mode: it starts at 1.", {RV: RV.replace("ones", "zeros")})
starts = "The weight starts at 1, and multiplies as it is (not 1 + weight)."
mistake(starts, {WEIGHT: BIAS, "return self.weight": "return (1 + self.weight)"})
mistake(starts, {WEIGHT: BIAS})
mistake("The weight starts at 1, not at random numbers.", {WEIGHT: WEIGHT.replace("ones", "rand")})
names = "torch's names are weight and bias: with other names state dicts cannot be exchanged."
mistake(names, {"self.weight": "self.gamma", "self.bias": "self.beta"})
mistake(names, {"self.weight": "self.scale", "self.bias": "self.shift"})
mistake("A bias of 1 shifts the result: start the bias at 0.", {BIAS: WEIGHT})
mistake("The running mean starts at 0.", {RM: RM.replace("zeros", "ones")})
mistake("The running statistics are not trained: make them buffers, not parameters.",
        {RM: "self.running_mean = " + BIAS, RV: "self.running_var = " + WEIGHT})
mistake("weight and bias are trained: make them parameters (nn.Parameter), not buffers.",
        {f"self.weight = {WEIGHT}": "self.register_buffer('weight', torch.ones(num_features))",
         f"self.bias = {BIAS}": "self.register_buffer('bias', torch.zeros(num_features))"})
mistake("weight and bias are trained: make them parameters (nn.Parameter), not plain attributes.", {WEIGHT: "torch.ones(num_features)", BIAS: "torch.zeros(num_features)"})
training("You normalised with the unbiased variance (7). The output uses the biased one (14 / 3).", "variance = variance * n / (n - 1)")
mistake("You normalised with the unbiased variance (7). The output uses the biased one (14 / 3).", {V: V.replace(" * n / (n - 1)", "")},
        variance="x.var(dims)")
training("x comes out as it came in, as with the running statistics (0 and 1 at the start). In training mode the batch's own are used.",
         "mean, variance = torch.zeros_like(mean), torch.ones_like(variance)")
training("This is what the updated running statistics give. In training mode the batch's own are used.",
         "mean, variance = self.running_mean.clone(), self.running_var.clone()")
mistake("You summed the squared distances and did not divide by N.", variance="(x - mean.view(shape)).square().sum(dims)")
training("You summed the squared distances and did not divide by N.", "variance = variance * n")
mistake("This is what the mean of the distances gives. The variance averages their squares.", variance="(x - mean.view(shape)).abs().mean(dims)")
mistake("You subtracted the sum of the channel. The mean is the sum divided by N.", mean="x.sum(dims)", variance="x.var(dims, correction=0)")
mistake("In the variance you added the mean. Subtract it before you square.", variance="(x + mean.view(shape)).square().mean(dims)")
mistake("You divided by the root of the mean square. The distance from the mean counts, not the number itself.", variance="x.square().mean(dims)")
ROOT = "torch.sqrt(variance.view(shape) + self.eps)"
mistake("The standard deviation multiplies here. Divide by it.", x_hat=f"(x - mean.view(shape)) * {ROOT}")
mistake("Your fraction stands upside down: x - mean is divided by the root, and the weight multiplies.", x_hat=f"{ROOT} / (x - mean.view(shape))")
mistake("The mean is added here. Subtract it.", x_hat=f"(x + mean.view(shape)) / {ROOT}")
mistake("The mean is not subtracted, in neither mode.", x_hat=f"x / {ROOT}")
mistake("The sign is turned round: subtract the mean from x, and divide by the positive root.", x_hat=f"(mean.view(shape) - x) / {ROOT}")
mistake("You subtracted the variance. Subtract the mean.", x_hat=f"(x - variance.view(shape)) / {ROOT}")
mistake("This is x - mean alone. Divide by the standard deviation too.", x_hat="x - mean.view(shape)")
mistake("You divided by the variance. Divide by its square root.", x_hat="(x - mean.view(shape)) / (variance.view(shape) + self.eps)")
mistake("This is x - mean divided by the variance squared. Divide by its root.", x_hat="(x - mean.view(shape)) / (variance.view(shape) + self.eps).square()")
mistake("You took the root of the mean. Take that of the variance.", x_hat="(x - mean.view(shape)) / torch.sqrt(mean.view(shape) + self.eps)")
mistake("The statistics are those of the whole batch. Each channel has its own.", mean="x.mean().expand(x.shape[1])",
        variance="x.var(correction=0).expand(x.shape[1])")
mistake("Your result is too large by 1, the weight: it is added. It multiplies.", returns="self.weight.view(shape) + x_hat + self.bias.view(shape)")
mistake("is there a `return`? forward gives None.", returns="None")
var("running_var takes the unbiased variance (7, dividing by n - 1); yours comes to the biased one.", "(1 - m) * self.running_var + m * variance")
wrong_way = "The new batch got the share 0.9. Is your momentum the wrong way round? It is the share of the new batch, and 0.1 unless another is given."
MEAN2, VAR2 = "m * self.running_mean + (1 - m) * mean", "m * self.running_var + (1 - m) * variance"
mistake(wrong_way, {M: f"self.running_mean.copy_({MEAN2})", V: f"self.running_var.copy_({VAR2} * n / (n - 1))"})
mistake(wrong_way, {"momentum=0.1": "momentum=0.9"})
mistake("The new batch got the share 0.9: is your momentum the wrong way round (it is the share of the new batch)? And running_var takes the unbiased variance.",
        {M: f"self.running_mean.copy_({MEAN2})", V: f"self.running_var.copy_({VAR2})"})
mistake("The running statistics did not move, or hardly.", {M: "pass", V: "pass"})
mistake("The running statistics are the batch's now: are they replaced? They keep a share 1 - momentum of what they were.",
        {M: "self.running_mean.copy_(mean)", V: "self.running_var.copy_(variance * n / (n - 1))"})
mistake("The share is 1 / count, where a momentum is given: the average of all batches belongs to momentum=None.",
        {MOMENTUM: "if True"})
var("running_var holds variances; you gave it the standard deviation.", "(1 - m) * self.running_var + m * (variance * n / (n - 1)).sqrt()")
var("You added the new batch without shrinking the old value by 1 - momentum.", "self.running_var + m * variance * n / (n - 1)")
mistake("You added the new batch without shrinking the old value by 1 - momentum.",
        {M: "self.running_mean.copy_(self.running_mean + m * mean)", V: "self.running_var.copy_(self.running_var + m * variance * n / (n - 1))"})
mean("The batch's mean is subtracted here. Add its share to what is left of the running mean.", "(1 - m) * self.running_mean - m * mean")
mean("You added the momentum to the batch's mean. Multiply them.", "(1 - m) * self.running_mean + m + mean")
mean("The batch's mean is missing: momentum alone moves the running mean.", "(1 - m) * self.running_mean + m")
mean("running_mean got the whole mean of the batch. It gets the share momentum.", "(1 - m) * self.running_mean + mean")
mean("You moved the running mean by the variance. It takes the batch's mean.", "(1 - m) * self.running_mean + m * variance")
mean("Your running_mean has 1 - momentum too much: that share multiplies the old value, which starts at 0.", "(1 - m) + self.running_mean + m * mean")
mean("The old value of running_mean keeps the share 1 - momentum.", "self.running_mean + m * mean")
mean("The old value of running_mean keeps the share 1 - momentum.", "m * mean")
mean("The running mean does not move.", "self.running_mean")
var("You subtracted the batch's variance. Add its share to what is left of running_var.", "(1 - m) * self.running_var - m * variance * n / (n - 1)")
var("running_var only shrinks: add the share momentum of the batch's variance, which is not zero.", "(1 - m) * self.running_var")
var("Nothing of the old running_var is left: it starts at 1 and keeps the share 1 - momentum.", "m * variance * n / (n - 1)")
var("The old value of running_var keeps the share 1 - momentum. You gave it the share momentum.", "m * self.running_var + m * variance * n / (n - 1)")
var("The old value of running_var shrinks by 1 - momentum. You let it grow by 1 + momentum.", "(1 + m) * self.running_var + m * variance * n / (n - 1)")
var("The old value of running_var has the wrong sign: its share is 1 - momentum.", "(m - 1) * self.running_var + m * variance * n / (n - 1)")
var("You started running_var from running_mean. Each moves from its own old value.", "(1 - m) * self.running_mean + m * variance * n / (n - 1)")
var("running_var takes the batch's variance times n / (n - 1). You multiplied by n.", "(1 - m) * self.running_var + m * variance * n")
var("running_var takes the batch's variance times n / (n - 1). You divided by n + 1.", "(1 - m) * self.running_var + m * variance * n / (n + 1)")
var("running_var takes the batch's variance times n / (n - 1). You divided by n - 1 twice.", "(1 - m) * self.running_var + m * variance * n / (n - 1) ** 2")
var("running_var takes the batch's variance times n / (n - 1). Your factor stands upside down.", "(1 - m) * self.running_var + m * variance * (n - 1) / n")
var("You added the whole variance of the batch. It gets the share momentum.", "(1 - m) * self.running_var + variance * n / (n - 1)")
var("The batch's variance is missing: momentum and n alone move running_var. Or is it measured on x after it was normalised?", "(1 - m) * self.running_var + m * n / (n - 1)")
var("You moved running_var by the batch's mean. It takes the batch's variance.", "(1 - m) * self.running_var + m * mean * n / (n - 1)")
var("You added the momentum to the batch's variance. Multiply them.", "(1 - m) * self.running_var + m + variance * n / (n - 1)")
var("running_var stays at 1, and running_mean moves: is running_var left out?", "self.running_var")
var("running_var is a variance without eps: that is added where the root is taken.", "(1 - m) * self.running_var + m * (variance * n / (n - 1) + self.eps)")
mistake("These are mean and variance of the normalised x. Measure x itself.",
        {M: "self.running_mean.mul_(1 - m)", V: "self.running_var.copy_((1 - m) * self.running_var + m * n / (n - 1))"})
cut = "No gradient flows through the {}: outputs stay right, gradients do not."
training("This is the gradient for constant statistics, but they depend on x: are they cut off (no_grad, detach, data, item), or left out of a backward of your "
         "own?", "mean, variance = mean.detach(), variance.detach()")
training(cut.format("variance"), "variance = variance.detach()")
training(cut.format("mean"), "mean = mean.detach()")
mistake("No gradient reaches the input: it is cut off, or not used.", x_hat=f"({NORM}).detach()")
lost = "No gradient reaches {}: are they cut off (detach, data, item, no_grad, requires_grad=False or a new nn.Parameter made of them), or not used?"
mistake(lost.format("weight and bias"), returns="self.weight.data.view(shape) * x_hat + self.bias.data.view(shape)")
mistake("No gradient reaches the weight: is it cut off, or not used?", returns="self.weight.data.view(shape) * x_hat + self.bias.view(shape)")
mistake("No gradient reaches the bias: is it cut off, or not used?", returns="self.weight.view(shape) * x_hat + self.bias.data.view(shape)")
mistake("In eval mode gradients reach input and parameters, too.", {"return " + OUT: f"return {OUT} if self.training else ({OUT}).detach()"})
counted = "num_batches_tracked is 0 after a batch: it starts at 0, and every batch in training mode counts, whatever the momentum."
mistake(counted, {"self.num_batches_tracked += 1": "self.seen = getattr(self, 'seen', 0) + 1", "self.num_batches_tracked.item()": "self.seen"})
mistake(counted, {"self.num_batches_tracked += 1": "self.num_batches_tracked += self.momentum is None"})
mistake("You counted down. Add 1 to num_batches_tracked.", {"self.num_batches_tracked += 1": "self.num_batches_tracked -= 1"})
mistake("num_batches_tracked is 2 after one batch: is the batch counted twice?", {"self.num_batches_tracked += 1": "self.num_batches_tracked += 2"})
mistake("num_batches_tracked starts at 0.", {"torch.tensor(0)": "torch.tensor(1)"})
mistake("A batch is counted also where the momentum is 0.", {"self.num_batches_tracked += 1": "self.num_batches_tracked += self.momentum != 0"})
mistake("The running statistics hang on to the graph of every batch: update them under torch.no_grad().",
        {"with torch.no_grad():": "if True:", M: M.replace("running_mean.copy_(", "running_mean = ("), V: V.replace("running_var.copy_(", "running_var = (")})
batch = "eval mode must not look at the batch: use running_mean and running_var where self.training is False."
OWN = "mean = x.mean(dims)\n            variance = (x - mean.view(shape)).square().mean(dims)"
mistake(batch, {EVAL: OWN})
mistake(batch, {"if self.training:": "if True:"})
evaluation("In eval mode you divided by running_var. Divide by its square root.", "(x - mean.view(shape)) / (variance.view(shape) + self.eps)")
evaluation("In eval mode running_mean is not subtracted.", f"x / {ROOT}")
evaluation("In eval mode you subtracted running_var. Subtract running_mean.", f"(x - variance.view(shape)) / {ROOT}")
evaluation("In eval mode you divided by the root of running_mean. Take that of running_var.", "(x - mean.view(shape)) / torch.sqrt(mean.view(shape) + self.eps)")
evaluation("In eval mode x comes out as it came in: normalise it with running_mean and running_var.", "x")
mistake("In eval mode x comes out as it came in: normalise it with running_mean and running_var, and use weight and bias.", {"return " + OUT: f"return {OUT} if self.training else x"})
evaluation("In eval mode this is x - running_mean alone. Divide by the root of running_var + eps.", "x - mean.view(shape)")
evaluation("The argument eps has no effect in eval mode: is it left out, fixed, or only a floor? running_var + eps stands inside the root.",
           "(x - mean.view(shape)) / torch.sqrt(variance.view(shape))")
evaluation("The argument eps has no effect in eval mode: is it left out, fixed, or only a floor? running_var + eps stands inside the root.",
           "(x - mean.view(shape)) / torch.sqrt(variance.view(shape) + 1e-5)")
evaluation("In eval mode eps is added to the standard deviation. It stands inside the root.", "(x - mean.view(shape)) / (variance.view(shape).sqrt() + self.eps)")
mistake("In eval mode weight and bias count, too.", {"return " + OUT: f"return {OUT} if self.training else x_hat"})
moves = "The running statistics move in eval mode: update them only where self.training is True."
mistake(moves, {EVAL: "mean, variance = self.running_mean.clone(), self.running_var.clone()\n            self.running_mean.mul_(0.9).add_(0.1 * x.mean(dims)), self.running_var.mul_(0.9).add_(0.1 * x.var(dims, correction=int(len(x) > 1)))"
                             "\n            self.num_batches_tracked += 1"})
mistake("The counter counts the batches in training mode alone.", {EVAL: EVAL + "\n            self.num_batches_tracked += 1"})
eps = "The argument eps has no effect here: is it fixed, left out, or only a floor? Add it to every variance, inside the root."
mistake(eps, {"self.eps, self.momentum = eps,": "self.eps, self.momentum = 1e-5,"})
mistake(eps, x_hat="(x - mean.view(shape)) / torch.sqrt(variance.view(shape))")
mistake(eps, x_hat="(x - mean.view(shape)) / torch.sqrt(variance.view(shape).clamp(min=self.eps))")
mistake("Is your eps inside the square root? You added it to the standard deviation.", x_hat="(x - mean.view(shape)) / (variance.view(shape).sqrt() + self.eps)")
mistake("You subtracted eps. Add it to the variance.", x_hat="(x - mean.view(shape)) / torch.sqrt(variance.view(shape) - self.eps)")
mistake("Without an eps it is 1e-5.", {"eps=1e-5": "eps=1e-6"})
mistake("The weight has no effect.", returns="x_hat + self.bias.view(shape)")
mistake("The bias has no effect.", returns="self.weight.view(shape) * x_hat")
mistake("Neither weight nor bias has an effect.", returns="x_hat")
mistake("The bias counts twice: is it multiplied by the weight, which is 2 here, or added twice?", returns="self.weight.view(shape) * (x_hat + self.bias.view(shape))")
mistake("The bias counts twice: is it multiplied by the weight, which is 2 here, or added twice?", returns=OUT + " + self.bias.view(shape)")
mistake("You subtracted the bias. Add it.", returns="self.weight.view(shape) * x_hat - self.bias.view(shape)")
mistake("You divided by the weight. Multiply by it.", returns="x_hat / self.weight.view(shape) + self.bias.view(shape)")
mistake("weight and bias are swapped: the weight multiplies, the bias is added.", returns="self.bias.view(shape) * x_hat + self.weight.view(shape)")
mistake("With a momentum of 0 the batch's statistics replaced the running ones: is 0 treated as None? Ask for `is None`.", {MOMENTUM: "if not self.momentum"})
tenth = "A momentum of 0 acts as 0.1: is 0 taken for None, or does the default replace it (`momentum or 0.1`)? 0 is a number like any other: ask for `is None` alone."
mistake(tenth, {"self.eps, self.momentum = eps, momentum": "self.eps, self.momentum = eps, momentum or 0.1"})
mistake("The argument momentum has no effect: it is the share of the new batch.", {"else self.momentum": "else 0.1"})
mistake("The argument momentum has no effect above 0.5: it is the share of the new batch.", {"else self.momentum": "else min(self.momentum, 0.5)"})
mistake("Training mode is training mode, also where no gradients are recorded: ask for self.training alone.", {"if self.training:": "if self.training and torch.is_grad_enabled():"})
mistake("Keep nothing between two calls but the buffers: in eval mode the running statistics are those of today.",
        {EVAL: "self.frozen = getattr(self, 'frozen', None) or (self.running_mean.clone(), self.running_var.clone())\n            mean, variance = self.frozen"})
mistake("The mode is self.training: a network around the layer sets it without your eval().",
        {"    def forward(self, x):": "    used = True\n\n    def eval(self):\n        self.used = False\n        return super().eval()\n\n    def forward(self, x):",
         "if self.training:": "if self.used:"})
mistake("A batch of one example in eval mode is fine: raise only where self.training is True.",
        {"if self.training:\n": "if x.numel() == x.shape[1]:\n            raise ValueError\n        if self.training:\n"})

# %% right: ARENA
from torch import Tensor


class BatchNorm1d(nn.Module):
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        assert x.ndim in (2, 3)
        assert x.shape[1] == self.num_features
        reduce_dims = (0,) if x.ndim == 2 else (0, 2)
        if self.training:
            if x[:, 0].numel() < 2:
                raise ValueError("need at least two values per channel in training mode")
            mean = torch.mean(x, dim=reduce_dims)
            var = torch.var(x, dim=reduce_dims, unbiased=False)
            unbiased = torch.var(x, dim=reduce_dims, unbiased=True)
            self.num_batches_tracked += 1
            factor = (
                1.0 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
            )
            self.running_mean = (1 - factor) * self.running_mean + factor * mean.detach()
            self.running_var = (1 - factor) * self.running_var + factor * unbiased.detach()
        else:
            mean, var = self.running_mean, self.running_var
        equation = "bf,f->bf" if x.ndim == 2 else "bfl,f->bfl"
        scale = self.weight / torch.sqrt(var + self.eps)
        shift = self.bias - mean * scale
        return torch.einsum(equation, x, scale) + (shift if x.ndim == 2 else shift[:, None])

    def extra_repr(self) -> str:
        return ", ".join(f"{key}={getattr(self, key)}" for key in ["num_features", "eps", "momentum"])

# %% right: CS231n
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn_param = {"eps": eps, "momentum": momentum}
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        bn_param = self.bn_param
        mode = "train" if self.training else "test"
        flat = x
        if x.dim() == 3:
            N, C, L = x.shape
            flat = x.permute(0, 2, 1).reshape(N * L, C)
        M = flat.shape[0]
        if mode == "train":
            if M == 1:
                raise ValueError("a single value has no variance")
            sample_mean = flat.mean(axis=0)
            sample_var = ((flat - sample_mean) ** 2).mean(axis=0)
            out = (flat - sample_mean) / torch.sqrt(sample_var + bn_param["eps"])
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = bn_param["momentum"]
                if m is None:
                    m = 1.0 / int(self.num_batches_tracked)
                self.running_mean *= 1 - m
                self.running_mean += m * sample_mean
                self.running_var *= 1 - m
                self.running_var += m * sample_var * M / (M - 1)
        else:
            out = (flat - self.running_mean) / torch.sqrt(self.running_var + bn_param["eps"])
        out = out * self.weight + self.bias
        if x.dim() == 3:
            out = out.reshape(N, L, C).permute(0, 2, 1)
        return out

# %% right: makemore
class BatchNorm1d(nn.Module):

  def __init__(self, dim, eps=1e-5, momentum=0.1):
    super().__init__()
    self.eps = eps
    self.momentum = momentum
    # parameters (trained with backprop)
    self.weight = nn.Parameter(torch.ones(dim))
    self.bias = nn.Parameter(torch.zeros(dim))
    # buffers (trained with a running 'momentum update')
    self.register_buffer('running_mean', torch.zeros(dim))
    self.register_buffer('running_var', torch.ones(dim))
    self.register_buffer('num_batches_tracked', torch.tensor(0))

  def forward(self, x):
    if x.ndim == 2:
      dim = 0
    elif x.ndim == 3:
      dim = (0,2)
    if self.training:
      if x.numel() == x.shape[1]:
        raise ValueError('one value per channel')
      xmean = x.mean(dim, keepdim=True) # batch mean
      xvar = x.var(dim, keepdim=True, unbiased=False) # batch variance
    else:
      xmean = self.running_mean if x.ndim == 2 else self.running_mean[None, :, None]
      xvar = self.running_var if x.ndim == 2 else self.running_var[None, :, None]
    xhat = (x - xmean) / torch.sqrt(xvar + self.eps) # normalize to unit variance
    w, b = (self.weight, self.bias) if x.ndim == 2 else (self.weight[:, None], self.bias[:, None])
    self.out = w * xhat + b
    # update the buffers
    if self.training:
      with torch.no_grad():
        self.num_batches_tracked += 1
        m = self.momentum if self.momentum is not None else 1/self.num_batches_tracked
        self.running_mean = (1 - m) * self.running_mean + m * xmean.view(-1)
        self.running_var = (1 - m) * self.running_var + m * x.var(dim)
    return self.out

# %% right: torch source
class BatchNorm1d(nn.Module):
    __constants__ = ["momentum", "eps", "num_features"]
    num_features: int
    eps: float

    def __init__(self, num_features, eps=1e-5, momentum=0.1, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.empty(num_features, **factory_kwargs))
        self.bias = nn.Parameter(torch.empty(num_features, **factory_kwargs))
        self.register_buffer("running_mean", torch.zeros(num_features, **factory_kwargs))
        self.register_buffer("running_var", torch.ones(num_features, **factory_kwargs))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))
        self.reset_parameters()

    def reset_running_stats(self):
        self.running_mean.zero_()
        self.running_var.fill_(1)
        self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")

    def extra_repr(self):
        return "{num_features}, eps={eps}, momentum={momentum}".format(**self.__dict__)

    def forward(self, input):
        self._check_input_dim(input)
        if self.momentum is None:
            exponential_average_factor = 0.0
        else:
            exponential_average_factor = self.momentum
        size = input.size()
        reduced = [d for d in range(input.dim()) if d != 1]
        shape = [1, size[1]] + [1] * (input.dim() - 2)
        if self.training:
            size_prods = size[0]
            for i in range(len(size) - 2):
                size_prods *= size[i + 2]
            if size_prods == 1:
                raise ValueError(
                    f"Expected more than 1 value per channel when training, got input size {size}"
                )
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                exponential_average_factor = 1.0 / float(self.num_batches_tracked)
            var, mean = torch.var_mean(input, dim=reduced, correction=0)
            with torch.no_grad():
                self.running_mean.lerp_(mean, exponential_average_factor)
                self.running_var.lerp_(
                    var * size_prods / (size_prods - 1), exponential_average_factor
                )
        else:
            mean, var = self.running_mean, self.running_var
        invstd = torch.rsqrt(var + self.eps).view(shape)
        return (input - mean.view(shape)) * invstd * self.weight.view(shape) + self.bias.view(shape)

# %% right: numpy first
import numpy as np


class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.from_numpy(np.ones(num_features, dtype=np.float32)))
        self.bias = nn.Parameter(torch.from_numpy(np.zeros(num_features, dtype=np.float32)))
        self.register_buffer("running_mean", torch.from_numpy(np.zeros(num_features, np.float32)))
        self.register_buffer("running_var", torch.from_numpy(np.ones(num_features, np.float32)))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        axis = (0, 2) if x.ndim == 3 else (0,)
        expand = (lambda v: v[None, :, None]) if x.ndim == 3 else (lambda v: v[None, :])
        if self.training:
            values = np.moveaxis(x.detach().numpy(), 1, 0).reshape(x.shape[1], -1)
            if values.shape[1] == 1:
                raise ValueError("one value per channel")
            self.num_batches_tracked += 1
            m = self.momentum
            if m is None:
                m = 1 / self.num_batches_tracked.item()
            rm, rv = self.running_mean.numpy(), self.running_var.numpy()
            rm[:] = (1 - m) * rm + m * np.mean(values, axis=1)
            rv[:] = (1 - m) * rv + m * np.var(values, axis=1, ddof=1)
            mean = torch.mean(x, axis=axis)
            var = torch.mean((x - expand(mean)) ** 2, axis=axis)
        else:
            mean, var = self.running_mean, self.running_var
        xhat = (x - expand(mean)) / torch.sqrt(expand(var) + self.eps)
        return expand(self.weight) * xhat + expand(self.bias)

# %% right: plain loops
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        if self.training:
            if len(x.shape) == 2:
                n = x.shape[0]
            else:
                n = x.shape[0] * x.shape[2]
            if n == 1:
                raise ValueError("there is only one value per channel")
            self.num_batches_tracked = self.num_batches_tracked + 1
            if self.momentum is None:
                m = 1 / self.num_batches_tracked.item()
            else:
                m = self.momentum
        channels = []
        for c in range(self.num_features):
            if len(x.shape) == 2:
                values = x[:, c]
            else:
                values = x[:, c, :]
            if self.training:
                mean = values.sum() / n
                variance = ((values - mean) ** 2).sum() / n
                with torch.no_grad():
                    unbiased = ((values - mean) ** 2).sum() / (n - 1)
                    self.running_mean[c] = (1 - m) * self.running_mean[c] + m * mean
                    self.running_var[c] = (1 - m) * self.running_var[c] + m * unbiased
            else:
                mean = self.running_mean[c]
                variance = self.running_var[c]
            values = (values - mean) / (variance + self.eps) ** 0.5
            values = values * self.weight[c] + self.bias[c]
            channels.append(values)
        return torch.stack(channels, dim=1)

# %% right: the channels moved to the end and all else flattened
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight, self.bias = nn.Parameter(torch.ones(num_features)), nn.Parameter(torch.zeros(num_features))
        for name, value in (("running_mean", torch.zeros(num_features)), ("running_var", torch.ones(num_features)),
                            ("num_batches_tracked", torch.zeros((), dtype=torch.int64))):
            self.register_buffer(name, value)

    def forward(self, x):
        rows = x.movedim(1, -1)
        flat = rows.reshape(-1, rows.shape[-1])
        if not self.training:
            out = (flat - self.running_mean) * torch.rsqrt(self.running_var + self.eps)
        else:
            n = flat.shape[0]
            if n <= 1:
                raise ValueError(f"Expected more than 1 value per channel when training, got {tuple(x.shape)}")
            mean = flat.sum(0) / n
            squares = ((flat - mean) ** 2).sum(0)
            out = (flat - mean) * torch.rsqrt(squares / n + self.eps)
            self._record(mean.detach(), squares.detach() / (n - 1))
        return (out * self.weight + self.bias).reshape(rows.shape).movedim(-1, 1)

    def _record(self, mean, variance):
        self.num_batches_tracked += 1
        m = self.momentum
        if m is None:
            m = 1 / int(self.num_batches_tracked)
        self.running_mean = self.running_mean + m * (mean - self.running_mean)
        self.running_var = torch.lerp(self.running_var, variance, m)

# %% right: two dimensions become three, one code path; the buffers are bound anew
class BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.C, self.eps, self.momentum = num_features, eps, momentum
        self.register_parameter("weight", nn.Parameter(torch.full((num_features,), 1.0)))
        self.register_parameter("bias", nn.Parameter(torch.full((num_features,), 0.0)))
        self.register_buffer("running_mean", torch.full((num_features,), 0.0))
        self.register_buffer("running_var", torch.full((num_features,), 1.0))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        was_flat = x.dim() == 2
        x3 = x.unsqueeze(-1) if was_flat else x
        mean, var = self.running_mean, self.running_var
        if self.training:
            n = x3.size(0) * x3.size(2)
            if n == 1:
                raise ValueError("batch norm needs two values or more in each channel to train")
            mean = x3.mean((0, 2))
            var = x3.var((0, 2), unbiased=False)
            self.num_batches_tracked = self.num_batches_tracked + 1
            m = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
            self.running_mean = ((1 - m) * self.running_mean + m * mean).detach()
            self.running_var = ((1 - m) * self.running_var + m * var * n / (n - 1)).detach()
        y = (x3 - mean[None, :, None]) / (var[None, :, None] + self.eps) ** 0.5
        y = y * self.weight[None, :, None] + self.bias[None, :, None]
        return y.squeeze(-1) if was_flat else y
