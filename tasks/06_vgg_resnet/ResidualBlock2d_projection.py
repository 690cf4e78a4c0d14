"""ResidualBlock2d_projection, 2 points: the same block with option B."""
import torch

task = Task("ResidualBlock2d_projection", targets=["ResidualBlock2d"])
m = task.module("ResidualBlock2d", starts=False, gradient=False, leads=((3,), (1,)), skip=("effects", "double", "copies"))
m.build(3, 5, 2, "B", takes=(3, 5, 4))
m.build(3, 3, stride=2, option="B", takes=(3, 5, 4))
m.build(3, 5, option="B", takes=(3, 5, 4))
m.build(3, 4, 3, "B", takes=(3, 5, 4))
X = [[[[-1., 7., 2.], [7., 7., 7.]]]]


def projection(label, *sizes):
    @task.probe(label, shown=f'ResidualBlock2d({", ".join(map(str, sizes))}, "B"): what is saved of its projection')
    def _(ResidualBlock2d):
        state = ResidualBlock2d(*sizes, "B").state_dict()
        return {name: list(value.shape) for name, value in state.items() if name.startswith("proj")}


m.state("names and shapes of the block and its projection", 2, 4, 2, "B")
projection("no projection where nothing changes its size", 3, 3, 1)
projection("a projection for the stride alone", 3, 3, 2)
projection("a projection for the channels alone", 3, 4, 1)


def one_channel(block):
    """The branch is 10; the shortcut 2 * 3 * (-1) + 1 = -5 and 2 * 3 * 2 + 1 = 13."""
    block = block(1, 1, 2, "B").eval()
    with torch.no_grad():
        block.conv2.weight.zero_()
        for name, value in {"norm2.bias": 10., "projection.weight": 3., "projection_norm.weight": 2., "projection_norm.bias": 1.}.items():
            block.get_parameter(name).fill_(value)
    return block


@task.probe("a branch of 10; -1 and 2 projected by 3, and normalised to -5 and 13", tolerance=1e-3, shown=f'ResidualBlock2d(1, 1, 2, "B").eval()(tensor({X})).flatten()')
def _(ResidualBlock2d):
    return one_channel(ResidualBlock2d)(torch.tensor(X)).flatten()


@task.probe("gradients flow through the projection", tolerance=1e-3, shown=f'of the sum of ResidualBlock2d(1, 1, 2, "B").eval()(x), x = tensor({X})')
def _(ResidualBlock2d):
    block, x = one_channel(ResidualBlock2d), torch.tensor(X, requires_grad=True)
    block(x).sum().backward()
    return {"gradient of x": x.grad, "gradient of the projection's weight": block.projection.weight.grad}


@task.probe("all of it learns, from images that need no gradient themselves", shown='the parameters of ResidualBlock2d(2, 4, 2, "B") that have no gradient after backward()')
def _(ResidualBlock2d):
    block = ResidualBlock2d(2, 4, 2, "B")
    block(sample(4, 2, 7, 6, seed=80)).square().sum().backward()
    return [name for name, weight in block.named_parameters() if weight.grad is None or not weight.grad.any()]


# %% mistakes
P, NORM, OUT = "self.projection_norm(self.projection(x))", "            self.projection_norm = nn.BatchNorm2d(out_channels)\n", "(shortcut + branch).relu()"
WHERE = 'option == "B" and (stride != 1 or self.added != 0)'
BRANCH = "self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))"
nothing = "Nothing is registered as projection and projection_norm: option B has a 1×1 convolution and a norm of these names."
mistake(nothing, {WHERE: "False"})
mistake(nothing, {"self.projection_norm(self.projection": "self.own_norm(self.own", "self.projection_norm =": "self.own_norm =", "self.projection =": "self.own ="})
mistake(nothing, {"self.projection = nn.Conv2d(": "self.down = nn.Sequential(nn.Conv2d(", "1, stride, bias=False\n            )": "1, stride, bias=False), nn.BatchNorm2d(out_channels))",
                  NORM: "", P: "self.down(x)"})
mistake("No norm is registered as projection_norm: the projection ends with one of that name.", {NORM: "", P: "self.projection(x)"})
mistake("The projection has a bias. A norm follows: bias=False.", {"1, stride, bias=False": "1, stride"})
mistake("The projection's window is 3×3. It has to be 1×1.", {"1, stride, bias=False": "3, stride, padding=1, bias=False"})
mistake("Nothing of norm2 is registered. Is there one norm for both convolutions? Each has its own: norm1 and norm2.",
        {"        self.norm2 = nn.BatchNorm2d(out_channels)\n": "", "self.norm2": "self.norm1"})
mistake("Where nothing changes its size the shortcut is x itself, with option B too: make no projection there.", {WHERE: 'option == "B"'})
mistake("Where only the stride changes the size, a projection is needed too.", {WHERE: 'option == "B" and self.added != 0'})
mistake("Where only the number of channels changes, a projection is needed too.", {WHERE: 'option == "B" and stride != 1'})
fits = "A RuntimeError. Do the sizes fit? conv1 and the projection have the block's stride and make out_channels of in_channels; conv2 has stride 1."
mistake(fits, {"1, stride, bias=False": "1, bias=False"})
mistake(fits, {"out_channels, 3, padding=1": "out_channels, 3, stride, padding=1"})
mistake("The projection's norm has no effect here.", {P: "self.projection(x)"})
mistake("The shortcut's -5 is lost: is there a ReLU on it? It ends with the norm.", {P: P + ".relu()"})
mistake("Nothing of the shortcut arrives: add it.", returns="branch.relu()")
mistake("x itself was added, not its projection.", {P: "F.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.added))"})
mistake("This is what norm2 on the shortcut gives. projection_norm belongs there.", {P: "self.norm2(self.projection(x))"})
mistake("norm2 stands on the shortcut as well. It belongs to the branch.", {"        branch =": "        shortcut = self.norm2(shortcut)\n        branch ="})
mistake("This is the shortcut minus the branch. Add them.", returns="(shortcut - branch).relu()")
mistake("This is the branch minus the shortcut. Add them.", returns="(branch - shortcut).relu()")
mistake("The branch ends with a ReLU. norm2 is its last step.", {BRANCH: BRANCH + ".relu()"})
mistake("The ReLU behind the addition is missing, or its result is not used.", returns="shortcut + branch")
mistake("The ReLU between the two convolutions is missing, or its result is not used.", {"self.norm1(self.conv1(x)).relu()": "self.norm1(self.conv1(x))"})
mistake("norm2 stands behind the addition. It belongs to the branch.", {BRANCH: BRANCH.replace("self.norm2", "")}, returns="self.norm2(shortcut + branch).relu()")
mistake("norm1 has no effect here.", {"self.norm1(self.conv1(x)).relu()": "self.conv1(x).relu()"})
mistake("norm2 has no effect here.", {"self.norm2(self.conv2": "(self.conv2"})
mistake("norm1 stands behind both convolutions. norm2 belongs behind the second.", {"self.norm2(self.conv2": "self.norm1(self.conv2"})
mistake("No gradient reaches the projection's weight: is it cut off (detach, data, no_grad, requires_grad=False), or not used?", {P: P + ".detach()"})
mistake("The weights do not learn from images that need no gradient themselves: use no no_grad.",
        {"        return (shortcut + branch).relu()": "        return ((shortcut + branch) if x.requires_grad else (shortcut + branch).detach()).relu()"})
mistake("A convolution of 3×3 has a bias. A norm follows: bias=False.", {"padding=1, bias=False": "padding=1"})
mistake("A convolution of 3×3 has a bias. A norm follows: bias=False.", {"3, stride, padding=1, bias=False": "3, stride, padding=1"})
mistake("A convolution of 3×3 has a bias. A norm follows: bias=False.", {"out_channels, 3, padding=1, bias=False": "out_channels, 3, padding=1"})
