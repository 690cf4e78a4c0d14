"""ConvNet, 3 points: stem, stages of blocks, the mean over positions, head."""
import torch
from torch import nn

task = Task("ConvNet")


class Thinned(nn.Module):
    """Every stride-th position, channels repeated, times a weight."""

    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        self.called_with = in_channels, out_channels, stride
        self.weight = nn.Parameter(torch.ones(out_channels, 1, 1))

    def forward(self, x):
        x = x[:, :, :: self.called_with[2], :: self.called_with[2]]
        return x.repeat(1, self.called_with[1] // self.called_with[0], 1, 1) * self.weight


class Mixing(nn.Module):
    """A block that mixes channels and positions."""

    def __init__(self, in_channels, out_channels, stride):
        super().__init__()
        self.called_with = in_channels, out_channels, stride
        self.conv = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1)

    def forward(self, x):
        return torch.asinh(self.conv(x))


def plan(net):
    return [list(block.called_with) for block in net.blocks]


@task.probe("two blocks in each of three stages: channels in, channels out, stride", shown="what each block of ConvNet(block, 2, (4, 8, 16)) is made with")
def _(ConvNet):
    return plan(ConvNet(Mixing, 2, (4, 8, 16)))


@task.probe("two stages of equal width, and a single one", shown="what each block of ConvNet(block, 2, (3, 3)) and of ConvNet(block, 2, (4,)) is made with")
def _(ConvNet):
    return {"(3, 3)": plan(ConvNet(Mixing, 2, (3, 3))), "(4,)": plan(ConvNet(Mixing, 2, (4,)))}


@task.probe("another plan", drawn=True)
def _(ConvNet):
    widths = tuple(2 + int(number) for number in sample_ids(9, 4, seed=142))
    return plan(ConvNet(Mixing, 2 + int(sample_ids(4, 1, seed=141)), widths, 2, 5))


@task.probe("every block is made for itself", shown="len(set(ConvNet(block, 3, (2, 2)).blocks))")
def _(ConvNet):
    return len({id(block) for block in ConvNet(Mixing, 3, (2, 2)).blocks})


m = task.module(starts=False, leads=((4,), (1,)))
m.state("names and shapes of all parameters", Thinned, 1, (4, 8), in_channels=3, classes=7)
m.state("defaults: three stages of 8, 16 and 32 channels, one channel in, ten classes", Thinned, 1)
m.build(block=Mixing, pairs=2, widths=(3, 5, 2), in_channels=2, classes=5, takes=(2, 9, 6))


@task.probe("logits: the mean 4.75, and 100 minus ten times as much", tolerance=1e-3, shown="ConvNet(block, 1, (1, 2), classes=2).eval()(x): stem and norm give 0, 3, 7 and 9")
def _(ConvNet):
    net, x = ConvNet(Thinned, 1, (1, 2), classes=2).eval(), torch.zeros(1, 1, 4, 4)
    with torch.no_grad():
        net.stem.weight.zero_()
        net.stem.weight[0, 0, 1, 1] = 1.
        net.stem_norm.weight.fill_(2.)
        net.stem_norm.bias.fill_(1.)
        net.head.weight.copy_(torch.tensor([[1., 0.], [0., -1.]]))
        net.head.bias.copy_(torch.tensor([0., 100.]))
        net.blocks[1].weight.copy_(torch.tensor([[[1.]], [[10.]]]))
    x[0, 0, ::2, ::2] = torch.tensor([[-2., 1.], [3., 4.]])
    return net(x)


@task.probe("logits can be negative, and one stage is enough", tolerance=1e-3, shown="ConvNet(block, 1, (1,), classes=1).eval()(x): ones times -3")
def _(ConvNet):
    net = ConvNet(Thinned, 1, (1,), classes=1).eval()
    with torch.no_grad():
        for name, value in {"stem_norm.bias": 1., "stem_norm.weight": 0., "head.weight": -3., "head.bias": 0.}.items():
            net.get_parameter(name).fill_(value)
    return net(torch.ones(1, 1, 4, 4))


@task.probe("one image whose maps shrink to a single position", shown="ConvNet(block, 1, (1, 2)).eval()(torch.ones(1, 1, 2, 2)).shape")
def _(ConvNet):
    return list(ConvNet(Thinned, 1, (1, 2)).eval()(torch.ones(1, 1, 2, 2)).shape)


@task.probe("all of it learns, from images that need no gradient themselves", shown="the parameters of ConvNet(block, 2, (3, 5)) that have no gradient after backward()")
def _(ConvNet):
    net = ConvNet(Mixing, 2, (3, 5))
    net(sample(6, 1, 9, 6, seed=144)).square().sum().backward()
    return [name for name, weight in net.named_parameters() if weight.grad is None or not weight.grad.any()]


# %% mistakes
S, B, BLOCKS = "2 if stage > 0 and number == 0 else 1", "blocks.append(block(before, width, stride))", "        self.blocks = nn.ModuleList(blocks)"
mistake("The first stage must not have a stride: the images are small as they are.", {S: "2 if number == 0 else 1"})
mistake("The first stage must not have a stride, even where it is the only one.", {S: "2 if number == 0 and (stage > 0 or len(widths) == 1) else 1"})
mistake("The stride belongs to the first block of a stage, not to the last one.", {S: "2 if stage > 0 and number == pairs - 1 else 1"})
mistake("The last block of a stage has the stride and the new channels. The first one of the next stage should.",
        {S: "2 if stage + 1 < len(widths) and number == pairs - 1 else 1", B: "width = widths[min(stage + 1, len(widths) - 1)] if number == pairs - 1 else width\n                " + B})
mistake("Every block of the later stages has the stride. The first one of each alone should.", {S: "2 if stage > 0 else 1"})
mistake("No block has a stride: the first one of each later stage has 2.", {S: "1"})
mistake("A later stage begins with stride 2 even where its width is the one before.", {S: "2 if width != before else 1"})
mistake("From the second block of a stage on, a block should get the stage's own width: what the block before it puts out.",
        {B: "blocks.append(block(widths[max(0, stage - 1)], width, stride))"})
mistake("Each stage has one block here, and should have two: pairs is 2.", {"range(pairs)": "range(1)"})
mistake("Each stage has one block here, and should have two: pairs is 2.", {"range(pairs)": "range(pairs - 1)"})
mistake("There is one block too many in each stage.", {"range(pairs)": "range(pairs + 1)"})
mistake("The first stage begins with the image's channels. The stem comes before it: its first block is given widths[0].", {"[], widths[0]": "[], in_channels"})
mistake("A block is made with three arguments: in_channels, out_channels and stride, the stride also where it is 1.",
        {B: "blocks.append(block(before, width, stride) if stride > 1 else block(before, width))"})
mistake("One block stands at several places: make each for itself.",
        {"for number in range(pairs)": "for number in range(1)", "                before = width\n": "                before = width\n            blocks += [block(width, width, 1)] * (pairs - 1)\n"})
mistake("The blocks are not registered: put them into an nn.ModuleList.", {"nn.ModuleList(blocks)": "blocks"})
mistake("The stem has a bias. A norm follows: bias=False.", {"padding=1, bias=False": "padding=1"})
mistake("The head has as many outputs as it is told: classes.", {"nn.Linear(widths[-1], classes)": "nn.Linear(widths[-1], 10)"})
mistake("The head is given the last width, not the largest.", {"nn.Linear(widths[-1], classes)": "nn.Linear(max(widths), classes)"})
H, MEAN = "self.stem_norm(self.stem(x)).relu()", "h.mean((2, 3))"
mistake("The ReLU behind the stem's norm is missing, or its result is not used.", {H: "self.stem_norm(self.stem(x))"})
mistake("stem_norm has no effect here.", {H: "self.stem(x).relu()"})
behind = "Is there a ReLU before the stem's norm (it comes behind it alone), or a median in place of the mean?"
mistake(behind, {H: "self.stem_norm(self.stem(x).relu())"})
mistake(behind, {MEAN: "(h.flatten(2).median(2).values + h.flatten(2).sort(2, True).values.median(2).values) / 2"})
mistake("This is the sum over the positions. Take their mean.", {MEAN: "h.sum((2, 3))"})
mistake("Divide the sum by the number of positions, rows times columns.", {MEAN: "h.sum((2, 3)) / h.shape[3] ** 2"})
mistake("This is the largest, or the last, of the positions. Take their mean.", {MEAN: "h.amax((2, 3))"})
mistake("This is the largest, or the last, of the positions. Take their mean.", {MEAN: "h[:, :, -1, -1]"})
one = "This is a mean in one direction, and the largest, or the last, in the other. Take the mean over both."
mistake(one, {MEAN: "h.mean(2).amax(2)"})
mistake(one, {MEAN: "h.mean(2)[:, :, -1]"})
mistake(one, {MEAN: "h.mean(3).amax(2)"})
mistake("Keep the dimension of a single image or position: squeeze() takes more than you want.", {MEAN: "F.adaptive_avg_pool2d(h, 1).squeeze()"})
logs = "These are logarithms of probabilities, or the largest logit is subtracted. Return the logits as they are."
mistake(logs, returns="F.log_softmax(self.head(h.mean((2, 3))), 1)")
mistake("These are probabilities, or a one for the largest. Return the logits, in eval mode too.", returns="self.head(h.mean((2, 3))).softmax(1)")
mistake("0 comes out, not -3: is there a ReLU behind the head?", returns="self.head(h.mean((2, 3))).relu()")
mistake("No gradient reaches the blocks: is the mean cut off (detach, data or no_grad)?", {MEAN: "h.mean((2, 3)).detach()"})
mistake("You changed the images in place: work on a new tensor.", {"        h = ": "        x.data.mul_(2) if self.training else x\n        h = "})

# %% right: a plan in one list, positions averaged by a product
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        out = [width for width in widths for _ in range(pairs)]
        strides = [1 + (i > 0 and i % pairs == 0) for i in range(len(out))]
        self.blocks = nn.ModuleList(map(block, [widths[0], *out], out, strides))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.flatten(2) @ h.new_full((h[0, 0].numel(),), 1 / h[0, 0].numel()))

# %% right: the head at every position, then the mean of the logits
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        for stage in range(len(widths)):
            for number in range(pairs):
                first = number == 0 and stage > 0
                before = widths[stage - 1] if first else widths[stage]
                self.blocks.append(block(before, widths[stage], 2 if first else 1))
        *_, last = widths
        self.head = nn.Linear(last, classes)

    def forward(self, x):
        x = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.flatten(2).transpose(1, 2)).mean(1)

# %% right: ARENA
class AveragePool(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.einsum("nchw->nc", x) / (x.shape[2] * x.shape[3])


class ConvNet(nn.Module):
    def __init__(
        self, block, pairs: int, widths=(8, 16, 32), in_channels: int = 1, classes: int = 10
    ):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks: list[nn.Module] = []
        in_feats = [widths[0], *widths[:-1]]
        strides = [1] + [2] * (len(widths) - 1)
        for width_in, width_out, stride in zip(in_feats, widths, strides):
            blocks.append(block(width_in, width_out, stride))
            blocks.extend(block(width_out, width_out, 1) for _ in range(pairs - 1))
        self.blocks = nn.ModuleList(blocks)
        self.pool = AveragePool()
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            x = block(x)
        return self.head(self.pool(x))

# %% right: CS231n
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        prev_dim = widths[0]
        for stage, dim in enumerate(widths):
            for i in range(pairs):
                downsample = stage > 0 and i == 0
                self.blocks.append(block(prev_dim, dim, 2 if downsample else 1))
                prev_dim = dim
        self.head = nn.Linear(prev_dim, classes)

    def forward(self, x):
        out = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            out = block(out)
        N, C, H, W = out.shape
        out = F.avg_pool2d(out, (H, W)).reshape(N, C)
        scores = self.head(out)
        return scores

# %% right: makemore
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        plan = [(widths[max(s - 1, 0)] if i == 0 else w, w, 2 if s and i == 0 else 1) for s, w in enumerate(widths) for i in range(pairs)]
        self.blocks = nn.ModuleList([block(*p) for p in plan])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks: h = block(h)
        return self.head(h.mean([2, 3]))

# %% right: torch source
def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, 3, stride, padding=1, bias=False)


class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10) -> None:
        super().__init__()
        self.inplanes = widths[0]
        self.stem = conv3x3(in_channels, self.inplanes)
        self.stem_norm = nn.BatchNorm2d(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        layers: list[nn.Module] = []
        for index, planes in enumerate(widths):
            layers += self._make_layer(block, planes, pairs, stride=1 if index == 0 else 2)
        self.blocks = nn.ModuleList(layers)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(widths[-1], classes)

    def _make_layer(self, block, planes: int, blocks: int, stride: int) -> list[nn.Module]:
        layers = [block(self.inplanes, planes, stride)]
        self.inplanes = planes
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes, stride=1))
        return layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.stem_norm(self.stem(x)))
        for layer in self.blocks:
            x = layer(x)
        x = torch.flatten(self.avgpool(x), 1)
        return self.head(x)

# %% right: numpy first
import numpy as np


class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        widths = np.asarray(widths).tolist()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        out = np.repeat(widths, pairs)
        into = np.concatenate([[widths[0]], out[:-1]])
        strides = np.ones_like(out)
        strides[pairs::pairs] = 2
        plan = np.stack([into, out, strides], axis=1).tolist()
        self.blocks = nn.ModuleList([block(*row) for row in plan])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = torch.clip(self.stem_norm(self.stem(x)), min=0)
        for block in self.blocks:
            h = block(h)
        return self.head(torch.mean(h, dim=(2, 3)))

# %% right: plain loops
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList([])
        last = widths[0]
        for stage in range(len(widths)):
            for i in range(pairs):
                if stage > 0 and i == 0:
                    stride = 2
                else:
                    stride = 1
                self.blocks.append(
                    block(in_channels=last, out_channels=widths[stage], stride=stride)
                )
                last = widths[stage]
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = self.stem(x)
        x = self.stem_norm(x)
        x = torch.relu(x)
        for block in self.blocks:
            x = block(x)
        answers = []
        for image in x:
            means = []
            for channel in image:
                means.append(channel.mean())
            answers.append(self.head(torch.stack(means)))
        return torch.stack(answers)
