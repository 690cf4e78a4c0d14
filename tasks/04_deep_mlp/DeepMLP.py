"""DeepMLP, 3 points: the network of the lecture, as a module."""
import torch
from torch import nn

task = Task("DeepMLP")
S = 50**-0.5
# letters of the context that come twice in a row, too
CONTEXTS = [[1, 2], [3, 1], [0, 2], [2, 2], [3, 0]]


def shapes(net):
    return {name: list(value.shape) for name, value in net.state_dict().items()}


def state(label, *args, **options):
    given = [*map(repr, args), *(f"{name}={value}" for name, value in options.items())]

    @task.probe(label, shown=f"DeepMLP({', '.join(given)}).state_dict(), shapes; what learns")
    def _(DeepMLP):
        net = DeepMLP(*args, **options)
        return {"shapes": shapes(net), "learns": sorted(name for name, value in net.named_parameters() if value.requires_grad)}


def weights(*layers, output, bias):
    numbers = {"embedding.weight": [[0.], [1.], [2.]], "output.weight": output, "output.bias": bias}
    for number, (weight, shift) in enumerate(layers):
        numbers |= {f"layers.{number}.weight": weight, f"layers.{number}.bias": shift}
    return {name: torch.tensor(value) for name, value in numbers.items()}


def look(label, numbers, *args, text, **options):
    """A network of given weights, asked of the context [1, 2], whose embeddings are 1 and 2."""

    @task.probe(label, shown=text, tolerance=1e-3)
    def _(DeepMLP):
        net = DeepMLP(*args, **options)
        net.load_state_dict(numbers)
        return net(torch.tensor([[1, 2]]))


TWO = weights(([[0.5, 0.5]], [-1.]), ([[2.]], [0.]), output=[[1.], [0.], [-1.]], bias=[0., 0., 1.])
ONE = weights(([[0.5, 0.5], [1., -1.]], [-1., 0.]), output=[[1., 0.], [0., 1.], [0., 0.]], bias=[0., 0., 0.])
H = "embeddings 1 and 2; z_1 = 0.5 + 1 - 1, z_2 = 2 h_1; logits h_2, 0 and 1 - h_2"
state("names and shapes of the weights", 5, 3, 2, 4, 2)
look("two plain layers", TWO, 3, 2, 1, 1, 2, text=f"DeepMLP(3, 2, 1, 1, 2): {H}")
look("the stream starts with the first layer's output", ONE, 3, 2, 1, 2, 1, residual=0.5,
     text="DeepMLP(3, 2, 1, 2, 1, residual=0.5): embeddings 1 and 2; z_1 = (0.5, -1); logits h_1 and 0")
look("a residual layer with s = 0.25", TWO, 3, 2, 1, 1, 2, residual=0.25, text=f"DeepMLP(3, 2, 1, 1, 2, residual=0.25): {H}")
look("s = 0 is a stream to which nothing is added", TWO, 3, 2, 1, 1, 2, residual=0., text=f"DeepMLP(3, 2, 1, 1, 2, residual=0.): {H}")
state("with norms: one batch norm a layer, and all biases", 5, 3, 2, 4, 2, norm=True)
state("one layer with a norm", 5, 3, 2, 4, 1, norm=True)


@task.probe("the parts are what the table says", shown="the parts' classes, with norm=False and norm=True")
def _(DeepMLP):
    nets, wanted = (DeepMLP(5, 3, 2, 4, 2), DeepMLP(5, 3, 2, 4, 2, norm=True)), {"embedding": nn.Embedding, "layers": nn.ModuleList, "norms": nn.ModuleList, "output": nn.Linear}
    found = [{name: isinstance(getattr(net, name), kind) for name, kind in wanted.items()} for net in nets]
    lists = {"linear layers": [isinstance(part, nn.Linear) for part in nets[0].layers], "norms": len(nets[0].norms),
             "batch norms": [isinstance(part, nn.BatchNorm1d) for part in nets[1].norms]}
    return [*found, lists]


def case(label, n_layers, residual=None, norm=False, gradients=False):
    """Logits in training, then in evaluation mode, and what the weights feel."""

    @task.probe(label, drawn=True, tolerance=1e-3, shown=f"fill_(DeepMLP(27, 4, 3, 12, {n_layers}, {residual}, {norm}), seed=32)(sample_ids(27, 9, 4, seed=31))")
    def _(DeepMLP):
        net, contexts = fill_(DeepMLP(27, 4, 3, 12, n_layers, residual, norm), seed=32), sample_ids(27, 9, 4, seed=31)
        contexts[:4, 2] = contexts[:4, 1]
        out = {"training": net(contexts)}
        out["evaluation"] = net.eval()(contexts)
        return out | ({"running means": net.norms[-1].running_mean} if norm else {})

    def slopes(DeepMLP):
        net, contexts = fill_(DeepMLP(27, 4, 3, 12, n_layers, residual, norm), seed=32), sample_ids(27, 9, 4, seed=31)
        net(contexts).square().mean().backward()
        # biases before a norm get rounding alone
        parts = {name: part.grad for name, part in sorted(net.named_parameters()) if part.dim() == 2 or not norm}
        return {f"gradient of {name}": slope for name, slope in parts.items()}

    if gradients:
        task.probe(f"{label}: gradients", drawn=True, tolerance=5e-3, shown="the same, of the mean square of the logits in training")(slopes)


case("one layer", 1, 0.5, True)
case("three plain layers", 3, gradients=True)
case("four residual layers", 4, 0.7, gradients=True)
case("three residual layers with norms", 3, 0.5, True, gradients=True)
case("three layers with norms, no stream", 3, None, True)
case("two layers with norms, s = 0", 2, 0., True)
case("two layers, s = 1", 2, 1.)
case("fifty layers", 50, S)


@task.probe("contexts of one letter", drawn=True, tolerance=1e-3, shown="fill_(DeepMLP(27, 1, 3, 6, 2, 0.5), seed=32)(sample_ids(27, 4, 1, seed=35))")
def _(DeepMLP):
    return fill_(DeepMLP(27, 1, 3, 6, 2, 0.5), seed=32)(sample_ids(27, 4, 1, seed=35))


# %% mistakes
H0, STREAM, Z = "self.embedding(contexts).flatten(1)", "h = a if self.residual is None or number == 0 else h + self.residual * a", "z = self.norms[number](z)"
ELSE, NORMS = "a if self.residual is None or number == 0 else ", "range(n_layers if norm else 0)"
mistake("Your first layer has d_embed inputs. The embeddings of all letters stand side by side: context_size * d_embed.",
        {"[context_size * d_embed]": "[d_embed]", H0: "self.embedding(contexts).mean(1)"})
mistake("There is one layer too many: the first one counts among n_layers.", {"[d_hidden] * n_layers": "[d_hidden] * (n_layers + 1)", NORMS: "range(n_layers + 1 if norm else 0)"})
mistake("No layers are registered: put n_layers of them into an nn.ModuleList, a plain list hides them from the optimiser.", {"nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))": "[nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]"})
mistake("From the second one on, one and the same layer is used: make a new nn.Linear for each, and use each in its turn.",
        {"nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])": "[nn.Linear(*sizes[:2])] + (n_layers - 1) * [nn.Linear(d_hidden, d_hidden)]"})
mistake("From the second one on, one and the same layer is used: make a new nn.Linear for each, and use each in its turn.", {"layer(h)": "self.layers[min(number, 1)](h)"})
mistake("This is what comes without any tanh (or with a relu or hardtanh in its place). Every layer has a tanh.", {"torch.tanh(z)": "z"})
mistake("The layers have a relu. They have a tanh.", {"torch.tanh(z)": "torch.relu(z)"})
mistake("The tanh of the first layer is missing.", {"torch.tanh(z)": "torch.tanh(z) if number else z"})
mistake("The tanh of the last hidden layer is missing.", {"torch.tanh(z)": "torch.tanh(z) if number < len(self.layers) - 1 else z"})
mistake("The branches lack their tanh.", {"torch.tanh(z)": "torch.tanh(z) if number == 0 or self.residual is None else z"})
mistake("There is a tanh behind the output layer. Logits are any numbers.", {"self.output(h)": "torch.tanh(self.output(h))"})
mistake("You returned probabilities. The output layer's logits are wanted: cross_entropy applies the softmax itself.", {"self.output(h)": "self.output(h).softmax(-1)"})
mistake("The output layer is missing: logits have one number a letter of the alphabet.", {"self.output(h)": "h"})
mistake("Without residual there is no stream, and you added one.", {"self.residual = residual": "self.residual = 1. if residual is None else residual"})
mistake("You built a skip around the first layer. The stream starts behind it: h_1 = a_1.", {"number == 0 else": "h.shape != a.shape else"})
mistake("Is s on the first layer, or on the stream before the output? It scales later layers' branches alone: h_1 = a_1.",
        {STREAM: STREAM.replace("h = a if", "h = (a if self.residual is None else self.residual * a) if")})
mistake("s has no effect: multiply the branch by it.", {"self.residual * a": "a"})
mistake("You multiplied the stream by s. It stays as it is, s scales the branch.", {"h + self.residual * a": "self.residual * h + a"})
mistake("You multiplied the sum by s. It scales the branch alone.", {"h + self.residual * a": "self.residual * (h + a)"})
mistake("The tanh comes after the addition. It belongs inside the branch, so that the stream stays a plain sum.", {"h + self.residual * a": "torch.tanh(h + self.residual * z)"})
mistake("s stands inside the tanh. It multiplies the tanh's output.", {"h + self.residual * a": "h + torch.tanh(self.residual * z)"})
mistake("The stream is lost: add the branch to h.", {"h + self.residual * a": "self.residual * a"})
mistake("residual has no effect in the last layer.", {"number == 0 else": "number in (0, len(self.layers) - 1) else"})
mistake("You subtracted the branch. Add it.", {"h + self.residual * a": "h - self.residual * a"})
mistake("You multiplied by the branch. Add it.", {"h + self.residual * a": "h * self.residual * a"})
mistake("The branches have no effect: add s times each layer's output.", {"h + self.residual * a": "h"})
mistake("You added s to the branch. Multiply by it.", {"h + self.residual * a": "h + self.residual + a"})
mistake("Every branch is added to the first state. Add it to the current one.", {"            h = a if": "            first = a if number == 0 else first\n            h = a if", "h + self.residual": "first + self.residual"})
mistake("The last layer is not added to the stream.", {"h + self.residual * a": "h + self.residual * a if number < len(self.layers) - 1 or number == 1 else h"})
mistake("There is no stream, as for None: residual=0. is a scale like any other. Ask for `is None`.", {"self.residual is None or": "not self.residual or"})
mistake("There is no stream, as for None: residual=1. is a scale like any other. Ask for `is None`.", {"self.residual is None or": "self.residual in (None, 1) or"})
mistake("The stream starts once, and goes on to the last layer, however many there are.", {"number == 0 else": "number % 10 == 0 else"})
mistake("All layers are run, however many there are.", {"enumerate(self.layers)": "enumerate(self.layers[:8])"})
mistake("All layers are run, however many there are.", {"enumerate(self.layers)": "enumerate(self.layers[:20])"})
mistake("Each layer has weights of its own, however many there are.", {"        self.norms =": "        self.layers = nn.ModuleList(self.layers[k if k < 5 else 1 + (k - 1) % 4] for k in range(n_layers))\n        self.norms ="})
mistake("s is taken as it is: round nothing.", {"self.residual = residual": "self.residual = residual and round(residual, 2)"})
mistake("Before a norm your layers have no bias. A bias there does nothing, but this module has it: parts have the shapes of the table.", {"nn.Linear(a, b)": "nn.Linear(a, b, bias=not norm)"})
mistake("norm=True registers no norms here, where residual is None. Is it not used, are they in a plain list (an nn.ModuleList registers them), or made for residual networks only? norm alone decides.", {NORMS: "range(0)"})
mistake("norm=True registers no norms here, where residual is None. Is it not used, are they in a plain list (an nn.ModuleList registers them), or made for residual networks only? norm alone decides.",
        {NORMS: "range(n_layers if norm and residual is not None else 0)"})
mistake("norm=True makes norms for a single layer, too.", {NORMS: "range(n_layers if norm and n_layers > 1 else 0)"})
mistake("There is one norm too few: the first layer has one too, and so has the last.", {NORMS: "range(n_layers - 1 if norm else 0)", "if len(self.norms):": "if number and len(self.norms):", "self.norms[number]": "self.norms[number - 1]"})
mistake("The norms have no running statistics: nn.BatchNorm1d as it comes is wanted (not a layer norm).", {"nn.BatchNorm1d(d_hidden)": "nn.LayerNorm(d_hidden)"})
mistake("The norms have no running statistics: nn.BatchNorm1d as it comes is wanted (not a layer norm).", {"nn.BatchNorm1d(d_hidden)": "nn.BatchNorm1d(d_hidden, track_running_stats=False)"})
mistake("norm=False still puts something into the list of norms (modules that do nothing, like nn.Identity?): leave it empty.",
        {"nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)": "nn.BatchNorm1d(d_hidden) if norm else nn.Identity() for _ in range(n_layers)"})
mistake("layers and norms are each an nn.ModuleList.", {"nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))": "nn.Sequential(*(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])))"})
mistake("layers and norms are each an nn.ModuleList.", {"        self.output =": "        self.norms = self.norms if norm else nn.Sequential()\n        self.output ="})
mistake("The numbers of the embeddings are interleaved: put the whole embedding of a letter beside that of the next one.", {H0: "self.embedding(contexts).transpose(1, 2).flatten(1)"})
mistake("The letters of the context are in the wrong order.", {H0: "self.embedding(contexts.flip(1)).flatten(1)"})
mistake("A letter that comes twice in a row is embedded twice.", {H0: "(self.embedding(contexts) * (contexts != contexts.roll(1, 1))[..., None]).flatten(1)"})
mistake("A context of one letter is a context, too: flatten all dimensions but the first, and squeeze none.", {H0: "(e := self.embedding(contexts.squeeze())).flatten(min(1, e.dim() - 2))"})
mistake("The norm comes after the tanh. It belongs before it, where the tanh still listens.", {f"                {Z}": "                pass", "a = torch.tanh(z)": "a = torch.tanh(z)\n            a = self.norms[number](a) if len(self.norms) else a"})
mistake("The norms have no effect.", {Z: "pass"})
mistake("The norm acts on the stream, after the addition. It belongs into the branch, between linear layer and tanh.", {f"                {Z}": "                pass", STREAM: STREAM + "\n            h = self.norms[number](h) if len(self.norms) else h"})
mistake("The norm comes before the linear layer. It belongs between linear layer and tanh.", {"layer(h)": "layer(self.norms[number](h) if number and len(self.norms) else h)", "if len(self.norms):": "if number == 0 and len(self.norms):"})
mistake("The last layer's norm has no effect.", {"if len(self.norms):": "if len(self.norms) and number < len(self.layers) - 1:"})
mistake("The first layer's norm has no effect.", {"if len(self.norms):": "if len(self.norms) and number:"})
mistake("In evaluation mode your norms still use the batch, or an earlier answer is kept.", {Z: "z = nn.functional.batch_norm(z, None, None, self.norms[number].weight, self.norms[number].bias, True)"})
mistake("Each norm keeps its running statistics, as nn.BatchNorm1d does when it is called in training.", {Z: "n = self.norms[number]\n                z = nn.functional.batch_norm(z, None if self.training else n.running_mean, None if self.training else n.running_var, n.weight, n.bias, self.training)"})
mistake("No gradient reaches the embedding: is it cut off (detach, data)?", {H0: "self.embedding(contexts).flatten(1).detach()"})
mistake("No gradient passes from layer to layer without a stream: is h cut off (detach, data)?", {"layer(h)": "layer(h.data if number and self.residual is None else h)"})
mistake("The gradient comes back through the branches alone: the stream is cut off (detach, data).", {"else h + self": "else h.detach() + self"})
mistake("The biases of the layers do not learn: are they cut off (detach, data)?", {"layer(h)": "(layer(h) if len(self.norms) else nn.functional.linear(h, layer.weight, layer.bias.detach()))"})
mistake("The output's bias gets twice its gradient: it is added once.", {"self.output(h)": "self.output(h) + self.output.bias - self.output.bias.detach()"})
mistake("The arguments come in the order of the skeleton: residual, then norm.", {"        residual=None,\n        norm=False,": "        norm=False,\n        residual=None,"})

# %% right: embedding looked up by index, matrices multiplied by hand, tanh from exponentials
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        first = nn.Linear(d_embed * context_size, d_hidden)
        self.layers = nn.ModuleList([first] + [nn.Linear(d_hidden, d_hidden) for _ in range(n_layers - 1)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = torch.cat([self.embedding.weight[contexts[:, j]] for j in range(contexts.shape[1])], dim=1)
        norms = self.norms if self.norm else [nn.Identity()] * len(self.layers)
        stream = None
        for layer, norm in zip(self.layers, norms):
            a = 2 * torch.sigmoid(2 * norm(h @ layer.weight.T + layer.bias)) - 1
            stream = a if stream is None or self.residual is None else stream + self.residual * a
            h = stream
        return F.linear(h, self.output.weight, self.output.bias)

# %% right: norms by F.batch_norm, each in the mode that it is in
class DeepMLP(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False
    ):
        super().__init__()
        self.output = nn.Linear(d_hidden, vocab_size)
        self.layers = nn.ModuleList(
            nn.Linear(d_hidden if i else context_size * d_embed, d_hidden) for i in range(n_layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in self.layers if norm)
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.scale = residual

    def forward(self, contexts):
        h = torch.cat([self.embedding(letters) for letters in contexts.unbind(1)], 1)
        for i, linear in enumerate(self.layers):
            z = F.linear(h, linear.weight, linear.bias)
            if len(self.norms):
                n = self.norms[i]
                if n.training:
                    n.num_batches_tracked += 1
                means = n.running_mean, n.running_var
                z = F.batch_norm(z, *means, n.weight, n.bias, n.training, n.momentum, n.eps)
            z = z.tanh()
            h = torch.add(h, z, alpha=self.scale) if i and self.scale is not None else z
        return F.linear(h, self.output.weight, self.output.bias)

# %% right: functional, one line for the stream
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        for _ in range(n_layers - 1):
            self.layers.append(nn.Linear(d_hidden, d_hidden))
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = z.tanh()
            h = (0 if self.residual is None or i == 0 else h) + (1 if self.residual is None or i == 0 else self.residual) * a
        return self.output(h)

# %% right: letters put side by side by cat, norms zipped
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = torch.cat([self.embedding(column) for column in contexts.unbind(1)], dim=-1)
        norms = self.norms if len(self.norms) else [lambda z: z] * len(self.layers)
        first = True
        for layer, norm in zip(self.layers, norms):
            branch = norm(layer(h)).tanh()
            h = branch if first or self.residual is None else torch.add(h, branch, alpha=self.residual)
            first = False
        return self.output(h)

# %% right: s is a tensor of its own, layers go by recursion
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        self.layers.extend(nn.Linear(d_hidden, d_hidden) for _ in range(1, n_layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers) if norm)
        self.output = nn.Linear(d_hidden, vocab_size)
        self.s = None if residual is None else torch.tensor(float(residual))

    def state(self, contexts, depth):
        if depth == 0:
            return self.embedding(contexts).reshape(len(contexts), -1)
        before = self.state(contexts, depth - 1)
        z = self.layers[depth - 1](before)
        branch = torch.tanh(self.norms[depth - 1](z) if self.norms else z)
        if self.s is None or depth == 1:
            return branch
        return torch.add(before, branch * self.s)

    def forward(self, contexts):
        return self.output(self.state(contexts, len(self.layers)))

# %% right: a single example in training is normed by the running numbers, add with alpha
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.s, self.stream = residual or 0, residual is not None
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.output = nn.Linear(d_hidden, vocab_size)
        self.norms, self.layers = nn.ModuleList(), nn.ModuleList()
        width = context_size * d_embed
        while len(self.layers) < n_layers:
            self.layers.append(nn.Linear(width, d_hidden))
            if norm:
                self.norms.append(nn.BatchNorm1d(d_hidden))
            width = d_hidden

    def normed(self, number, z):
        if not len(self.norms):
            return z
        norm = self.norms[number]
        if self.training and len(z) == 1:
            return F.batch_norm(z, norm.running_mean, norm.running_var, norm.weight, norm.bias)
        return norm(z)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(start_dim=1)
        h = self.normed(0, self.layers[0](h)).tanh()
        for number in range(1, len(self.layers)):
            a = self.normed(number, self.layers[number](h)).tanh()
            h = h.add(a, alpha=self.s) if self.stream else a
        return self.output(h)

# %% right: one-hot rows times the embedding matrix; in place on own tensors
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers,
                 residual=None, norm=False):
        super().__init__()
        self.hparams = dict(vocab_size=vocab_size, residual=residual, norm=norm)
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden)] if norm else [])
        while len(self.layers) < n_layers:
            self.layers.append(nn.Linear(d_hidden, d_hidden))
            if norm:
                self.norms.append(nn.BatchNorm1d(d_hidden))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        table = self.embedding.weight
        one_hot = F.one_hot(contexts, self.hparams["vocab_size"]).to(table.dtype)
        h = torch.einsum("ncv,vd->ncd", one_hot, table).flatten(start_dim=1)
        s = self.hparams["residual"]
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if self.hparams["norm"]:
                z = self.norms[number](z)
            a = z.tanh()
            h = a.mul(s).add_(h) if number and s is not None else a
        return self.output(h)

# %% right: tanh from the sigmoid, the stream as a sum of a list
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers,
                 residual=None, norm=False):
        super().__init__()
        parts = {
            "embedding": nn.Embedding(vocab_size, d_embed),
            "layers": nn.ModuleList(
                [nn.Linear(context_size * d_embed, d_hidden)]
                + [nn.Linear(d_hidden, d_hidden) for _ in range(1, n_layers)]
            ),
            "norms": nn.ModuleList(
                [nn.BatchNorm1d(d_hidden) for _ in range(n_layers) if norm]
            ),
            "output": nn.Linear(d_hidden, vocab_size),
        }
        for name, part in parts.items():
            self.add_module(name, part)
        self.residual = residual

    def forward(self, contexts):
        h, stream = self.embedding(contexts).flatten(1), []
        for l, layer in enumerate(self.layers):
            z = layer(h)
            z = self.norms[l](z) if len(self.norms) else z
            a = 2 * torch.sigmoid(2 * z) - 1
            if self.residual is None or l == 0:
                stream = [a]
            else:
                stream.append(self.residual * a)
            h = sum(stream[1:], stream[0])
        return self.output(h)

# %% right: parts appended, the stream kept in a list, alpha
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers,
                 residual=None, norm=False):
        super().__init__()
        self.s = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers, self.norms = nn.ModuleList(), nn.ModuleList()
        width = context_size * d_embed
        for _ in range(n_layers):
            self.layers.append(nn.Linear(width, d_hidden))
            if norm:
                self.norms.append(nn.BatchNorm1d(d_hidden))
            width = d_hidden
        self.output = nn.Linear(width, vocab_size)

    def forward(self, contexts):
        states = [torch.cat([self.embedding(c) for c in contexts.unbind(1)], -1)]
        for i in range(len(self.layers)):
            z = states[-1] @ self.layers[i].weight.T
            z += self.layers[i].bias
            if i < len(self.norms):
                z = self.norms[i](z)
            a = z.tanh()
            if i > 0 and self.s is not None:
                a = torch.add(states[-1], a, alpha=self.s)
            states.append(a)
        return self.output(states[-1])

# %% right: s in a buffer that is not kept
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)
        del self.residual
        self.register_buffer("residual", None if residual is None else torch.tensor(float(residual)), persistent=False)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% right: ARENA
from torch import Tensor


class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        context_size: int,
        d_embed: int,
        d_hidden: int,
        n_layers: int,
        residual: float | None = None,
        norm: bool = False,
    ):
        super().__init__()
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        in_feats_per_layer = [context_size * d_embed] + (n_layers - 1) * [d_hidden]
        self.layers = nn.ModuleList(
            [nn.Linear(in_feats, d_hidden) for in_feats in in_feats_per_layer]
        )
        self.norms = nn.ModuleList(
            [nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else []
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts: Tensor) -> Tensor:
        assert contexts.ndim == 2
        x = self.embedding(contexts)
        batch, context, d_embed = x.shape
        x = x.reshape(batch, context * d_embed)
        norms = self.norms if len(self.norms) > 0 else [nn.Identity()] * len(self.layers)
        for i, (layer, norm) in enumerate(zip(self.layers, norms)):
            branch = torch.tanh(norm(layer(x)))
            if self.residual is None or i == 0:
                x = branch
            else:
                x = x + self.residual * branch
        return self.output(x)

# %% right: CS231n
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.use_batchnorm = norm
        self.num_layers = n_layers
        self.s = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        dims = [context_size * d_embed] + [d_hidden] * n_layers
        for i in range(self.num_layers):
            self.layers.append(nn.Linear(dims[i], dims[i + 1]))
            if self.use_batchnorm:
                self.norms.append(nn.BatchNorm1d(dims[i + 1]))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N = contexts.shape[0]
        out = self.embedding(contexts).view(N, -1)
        caches = {}
        for i in range(self.num_layers):
            affine = self.layers[i](out)
            if self.use_batchnorm:
                affine = self.norms[i](affine)
            caches[i] = torch.tanh(affine)
            if i > 0 and self.s is not None:
                out = out + self.s * caches[i]
            else:
                out = caches[i]
        scores = self.output(out)
        return scores

# %% right: makemore
class DeepMLP(nn.Module):

  def __init__(self, vocab_size, block_size, n_embd, n_hidden, n_layers, residual=None, norm=False):
    super().__init__()
    self.s = residual
    self.embedding = nn.Embedding(vocab_size, n_embd)
    self.layers = nn.ModuleList(
      [nn.Linear(n_embd * block_size, n_hidden)] + [nn.Linear(n_hidden, n_hidden) for _ in range(n_layers - 1)])
    self.norms = nn.ModuleList([nn.BatchNorm1d(n_hidden) for _ in self.layers] if norm else [])
    self.output = nn.Linear(n_hidden, vocab_size)

  def forward(self, Xb):
    emb = self.embedding.weight[Xb] # embed the characters into vectors
    h = emb.view(emb.shape[0], -1) # concatenate the vectors
    for i, lin in enumerate(self.layers):
      hpreact = h @ lin.weight.T + lin.bias
      if self.norms:
        hpreact = self.norms[i](hpreact)
      a = torch.tanh(hpreact)
      h = a if i == 0 or self.s is None else h + self.s * a
    return h @ self.output.weight.T + self.output.bias

# %% right: torch source
class DeepMLP(nn.Module):
    __constants__ = ["n_layers", "residual"]

    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.n_layers = n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        in_features = context_size * d_embed
        for _ in range(n_layers):
            self.layers.append(nn.Linear(in_features, d_hidden))
            in_features = d_hidden
            if norm:
                self.norms.append(nn.BatchNorm1d(d_hidden))
        self.output = nn.Linear(d_hidden, vocab_size)
        self.reset_parameters()

    def reset_parameters(self):
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("tanh"))
            nn.init.zeros_(layer.bias)

    def _branch(self, index, input):
        output = F.linear(input, self.layers[index].weight, self.layers[index].bias)
        if len(self.norms) > 0:
            output = self.norms[index](output)
        return torch.tanh(output)

    def forward(self, input):
        x = torch.flatten(self.embedding(input), 1)
        x = self._branch(0, x)
        for index in range(1, self.n_layers):
            if self.residual is None:
                x = self._branch(index, x)
            else:
                x = torch.add(x, self._branch(index, x), alpha=self.residual)
        return self.output(x)

    def extra_repr(self):
        return f"residual={self.residual}"

# %% right: numpy first
import numpy as np


class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        widths = np.full(n_layers + 1, d_hidden)
        widths[0] = context_size * d_embed
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(
            [nn.Linear(int(a), int(b)) for a, b in np.stack([widths[:-1], widths[1:]], axis=1)]
        )
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers * norm)])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = torch.concatenate(
            [self.embedding(contexts[:, i]) for i in range(contexts.shape[1])], axis=-1
        )
        for l in range(len(self.layers)):
            z = self.layers[l](h)
            if len(self.norms) > 0:
                z = self.norms[l](z)
            a = torch.tanh(z)
            if l == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% right: plain loops
class DeepMLP(nn.Module):
    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        residual=None,
        norm=False,
    ):
        super().__init__()
        self.residual = residual
        self.norm = norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        layers = []
        norms = []
        for i in range(n_layers):
            if i == 0:
                layers.append(nn.Linear(context_size * d_embed, d_hidden))
            else:
                layers.append(nn.Linear(d_hidden, d_hidden))
            if norm == True:
                norms.append(nn.BatchNorm1d(d_hidden))
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList(norms)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        rows = []
        for context in contexts:
            vectors = []
            for letter in context:
                vectors.append(self.embedding(letter))
            rows.append(torch.cat(vectors))
        h = torch.stack(rows)
        for i in range(len(self.layers)):
            z = self.layers[i](h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if i == 0:
                h = a
            elif self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)
