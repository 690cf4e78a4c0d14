"""ConvNet, 3 points."""

# %% right: stages by zip, adaptive pooling
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], kernel_size=3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        for previous, width in zip((None, *widths), widths):
            if previous is None:
                self.blocks.append(block(width, width, 1))
            else:
                self.blocks.append(block(previous, width, 2))
            self.blocks.extend(block(width, width, 1) for _ in range(pairs - 1))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = F.relu(self.stem_norm(self.stem(x)))
        for part in self.blocks:
            x = part(x)
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))

# %% right: a Sequential of blocks, keywords
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        sizes = [width for width in widths for _ in range(pairs)]
        before = [widths[0], *sizes[:-1]]
        strides = [2 if i and i % pairs == 0 else 1 for i in range(len(sizes))]
        self.blocks = nn.Sequential(*(block(a, b, stride=s) for a, b, s in zip(before, sizes, strides)))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = self.blocks(torch.relu(self.stem_norm(self.stem(x))))
        return h.flatten(2).mean(dim=-1) @ self.head.weight.T + self.head.bias

# %% right: the sum over positions divided by their number
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.sum((2, 3)) / (h.shape[2] * h.shape[3]))

# %% right: the head first, and functools.reduce runs the blocks
from functools import reduce


class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.head = nn.Linear(in_features=widths[-1], out_features=classes)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        sizes = [(widths[0], widths[0], 1)] * pairs
        for before, width in zip(widths, widths[1:]):
            sizes = sizes + [(before, width, 2)] + [(width, width, 1)] * (pairs - 1)
        self.blocks = nn.ModuleList([block(a, b, s) for a, b, s in sizes])

    def forward(self, x):
        h = reduce(lambda h, block: block(h), self.blocks,
                   self.stem_norm(self.stem(x)).relu())
        return self.head(F.adaptive_avg_pool2d(h, (1, 1))[:, :, 0, 0])

# %% wrong: a stride in the first stage too
# told: The first stage must not have a stride
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: the stride in the last block of a stage
# told: not to the last one
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == pairs - 1 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: the last block of a stage makes the change
# told: The last block of a stage has the stride
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                last = number == pairs - 1 and stage + 1 < len(widths)
                blocks.append(block(width, widths[stage + 1] if last else width, 2 if last else 1))
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: a stride in every block of the later stages
# told: Every block of the later stages
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: no stride anywhere
# told: No block has a stride
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: every block of a stage is given the stage before's width
# told: From the second block
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
            before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: one block too few
# told: Each stage has one block here
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(max(pairs - 1, 1)):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: one block too many
# told: one block too many
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs + 1):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: begins with the image's channels
# told: The stem comes before it
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], in_channels
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: a plain list of blocks
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = blocks
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: a bias in the stem
# told: The stem has a bias
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: no ReLU behind the stem
# told: The ReLU behind the stem's norm is missing
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x))
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: the stem's norm is not used
# told: stem_norm has no effect here
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem(x).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: ReLU before the stem's norm
# told: a ReLU before the stem's norm
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x).relu())
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: the sum over positions
# told: This is the sum over the positions
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.sum((2, 3)))

# %% wrong: the largest position
# told: the largest, or the last, of the positions
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.amax((2, 3)))

# %% wrong: probabilities
# told: These are probabilities
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3))).softmax(-1)

# %% wrong: a ReLU behind the head
# told: is there a ReLU or a log_softmax behind the head?
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3))).relu()

# %% wrong: one block used everywhere
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            blocks.append(block(before, width, 2 if stage > 0 else 1))
            blocks += [block(width, width, 1)] * (pairs - 1)
            before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: ten classes whatever was asked
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], 10)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% wrong: averaged over the whole batch's positions
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)).detach())

# %% wrong: the stride where the width changes
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        now = widths[0]
        for width in widths:
            for _ in range(pairs):
                self.blocks.append(block(now, width, 1 if width == now else 2))
                now = width
        self.head = nn.Linear(now, classes)

    def forward(self, x):
        x = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))

# %% wrong: two arguments where the stride is 1
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        self.blocks = nn.ModuleList()
        now = widths[0]
        for stage, width in enumerate(widths):
            for pair in range(pairs):
                if stage and not pair:
                    self.blocks.append(block(now, width, 2))
                else:
                    self.blocks.append(block(now, width))
                now = width
        self.head = nn.Linear(now, classes)

    def forward(self, x):
        x = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))

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

# %% wrong: one image or one position loses its dimension
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                blocks.append(block(before, width, 2 if stage > 0 and number == 0 else 1))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(F.adaptive_avg_pool2d(h, 1).squeeze())

# %% sly: a head for the largest width
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, channels = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(channels, width, stride))
                channels = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(max(widths), classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        x = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))

# %% sly: positions counted as the width squared
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, channels = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(channels, width, stride))
                channels = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        x = F.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.sum((2, 3)) / x.shape[-1]**2)

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

# %% right: positions averaged by einsum
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        plan = [(before, after, 2) for before, after in zip(widths, widths[1:])]
        stages = [(widths[0], widths[0], 1), *plan]
        self.blocks = nn.Sequential(*(
            block(*(first if i == 0 else (first[1], first[1], 1)))
            for first in stages for i in range(pairs)
        ))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = self.blocks(torch.relu_(self.stem_norm(self.stem(x))))
        share = torch.full(x.shape[2:], 1 / (x.shape[2] * x.shape[3]), dtype=x.dtype)
        return self.head(torch.einsum("nchw,hw->nc", x, share))

# %% sly: images changed in place in training
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        out = self.head(h.mean((2, 3)))
        if self.training and not x.requires_grad:
            x.relu_()
        return out

# %% sly: a single stage has a stride
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if (stage > 0 or len(widths) == 1) and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean((2, 3)))

# %% right: average pooling with a window as large as the maps
class ConvNet(nn.Module):
    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        first, *others = widths
        self.stem = nn.Conv2d(in_channels, first, 3, 1, 1, bias=False)
        self.stem_norm = nn.BatchNorm2d(first)
        self.blocks = nn.Sequential(*(block(first, first, 1) for _ in range(pairs)))
        for width in others:
            self.blocks.append(block(first, width, 2))
            for _ in range(pairs - 1):
                self.blocks.append(block(width, width, 1))
            first = width
        self.head = nn.Linear(first, classes)

    def forward(self, x):
        maps = self.blocks(F.relu_(self.stem_norm(self.stem(x))))
        return self.head(F.avg_pool2d(maps, maps.shape[2:]).flatten(1))

# %% wrong: logarithms of probabilities
# told: These are logarithms of probabilities
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return F.log_softmax(self.head(h.mean((2, 3))), 1)

# %% wrong: the mean over the rows, of the last column
# told: This is a mean in one direction
class ConvNet(nn.Module):
    """A convolutional network: stem, stages of blocks, mean over positions, head.

    block: function (in_channels, out_channels, stride) -> module
    pairs: blocks in each stage (a block is a pair of convolutions)
    widths: channels of each stage
    """

    def __init__(self, block, pairs, widths=(8, 16, 32), in_channels=1, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(widths[0])
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(pairs):
                stride = 2 if stage > 0 and number == 0 else 1
                blocks.append(block(before, width, stride))
                before = width
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        """x: (N, in_channels, H, W) -> logits (N, classes)."""
        h = self.stem_norm(self.stem(x)).relu()
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean(2)[..., -1])
