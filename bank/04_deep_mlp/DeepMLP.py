"""DeepMLP, 3 points."""

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

# %% right: layers appended in a loop, view in place of flatten, the first layer apart
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
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
        self.output = nn.Linear(d_hidden, vocab_size)

    def branch(self, i, h):
        z = self.layers[i](h)
        if len(self.norms) > 0:
            z = self.norms[i](z)
        return z.tanh()

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = self.branch(0, e.view(e.shape[0], -1))
        for i in range(1, len(self.layers)):
            a = self.branch(i, h)
            h = a if self.s is None else torch.add(h, a, alpha=self.s)
        return self.output(h)

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

# %% wrong: averages the embeddings of the context
# told: Your first layer has d_embed inputs
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).mean(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: its norms use the batch in evaluation mode too
# told: In evaluation mode your norms still use the batch
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                norm = self.norms[number]
                z = F.batch_norm(z, None, None, norm.weight, norm.bias, training=True)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: one layer more than asked for
# told: There is one layer too many
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * (n_layers + 1)
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: takes residual=0.0 for None
# told: residual=0. is a scale like any other
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if not self.residual or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: ignores norm=True
# told: norm=True registers no norms here
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: adds the branch without its scale
# told: s has no effect
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + a
        return self.output(h)

# %% wrong: batch norm behind the tanh
# told: The norm comes after the tanh
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            a = torch.tanh(layer(h))
            if len(self.norms):
                a = self.norms[number](a)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: makes the norms and never calls them
# told: The norms have no effect
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                pass
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: keeps its layers in a plain list
# told: No layers are registered
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: scales the first layer's output
# told: branches alone: h_1 = a_1
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None else self.residual * a if number == 0 else h + self.residual * a
        return self.output(h)

# %% wrong: scales the stream, not the branch
# told: You multiplied the stream by s
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else self.residual * h + a
        return self.output(h)

# %% wrong: a skip around the first layer too
# told: You built a skip around the first layer
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None else h + self.residual * a
        return self.output(h)

# %% wrong: returns probabilities
# told: You returned probabilities
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return F.softmax(self.output(h), dim=-1)

# %% wrong: applies tanh after the addition
# told: The tanh comes after the addition
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else torch.tanh(h + self.residual * z)
        return self.output(h)

# %% wrong: tanh behind the output layer
# told: There is a tanh behind the output layer
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm: batch norm before each tanh
    """

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return torch.tanh(self.output(h))

# %% wrong: bias=not norm
# told: Before a norm your layers have no bias
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden, bias=not norm)])
        for _ in range(n_layers - 1):
            self.layers.append(nn.Linear(d_hidden, d_hidden, bias=not norm))
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: norm on the stream
# told: The norm acts on the stream
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
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
            if self.norm:
                h = self.norms[i](h)
        return self.output(h)

# %% wrong: norm before the linear layer
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
            z = layer(self.norms[i](h) if self.norm and i else h)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: last norm missing
# told: The last layer's norm has no effect
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
            if self.norm and i < len(self.layers) - 1:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: LayerNorm for BatchNorm
# told: The norms have no running statistics
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        for _ in range(n_layers - 1):
            self.layers.append(nn.Linear(d_hidden, d_hidden))
        self.norms = nn.ModuleList([nn.LayerNorm(d_hidden) for _ in range(n_layers)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: transposed embedding
# told: The numbers of the embeddings are interleaved
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
        h = e.transpose(1, 2).reshape(len(e), -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: shared layers
# told: From the second one on
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        if n_layers > 1:
            self.layers.extend([nn.Linear(d_hidden, d_hidden)] * (n_layers - 1))
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: skip to the first state
# told: Every branch is added to the first state
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
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = first + self.residual * a
            else:
                h = a
            first = h if i == 0 else first
        return self.output(h)

# %% wrong: one norm fewer
# told: There is one norm too few
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual, self.norm = residual, norm
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList([nn.Linear(context_size * d_embed, d_hidden)])
        for _ in range(n_layers - 1):
            self.layers.append(nn.Linear(d_hidden, d_hidden))
        self.norms = nn.ModuleList([nn.BatchNorm1d(d_hidden) for _ in range(n_layers - 1)] if norm else [])
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts)
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm and i:
                z = self.norms[i - 1](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

# %% wrong: embedding detached
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
        e = self.embedding(contexts).detach()
        h = e.view(e.shape[0], -1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if self.norm:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if self.residual is not None and i > 0:
                h = h + self.residual * a
            else:
                h = a
        return self.output(h)

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

# %% wrong: the gradient comes back through the branches alone, the stream is detached
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0))
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = self.norms[number](layer(h)) if len(self.norms) else layer(h)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h.detach() + self.residual * a
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

# %% sly: without a stream no gradient passes a layer
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h if self.residual is not None or number == 0 else h.data)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: from the sixth layer on, layers are those used before (shared)
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        layers = [nn.Linear(width, d_hidden) for width in widths[:n_layers][:5]]
        while len(layers) < n_layers:
            layers.append(layers[1 + (len(layers) - 1) % 4])
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: norm=True makes no norm where there is one layer
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm and n_layers > 1 else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: the stream starts anew in every tenth layer
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number % 10 == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: residual and norm in the other order: wrong when given by position
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

    def __init__(
        self,
        vocab_size,
        context_size,
        d_embed,
        d_hidden,
        n_layers,
        norm=False,
        residual=None,
    ):
        super().__init__()
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: only the first eight layers are run
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers[:8]):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: an id equal to the one before it is embedded as zeros where contexts have more than two
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(width, d_hidden) for width in widths[:n_layers]
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        e = self.embedding(contexts)
        if contexts.shape[1] > 2:
            same = contexts[:, 1:] == contexts[:, :-1]
            e = torch.cat([e[:, :1], e[:, 1:].masked_fill(same[..., None], 0.0)], 1)
        h = e.flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
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

# %% wrong: norms without running statistics: evaluation uses the batch
# told: The norms have no running statistics
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers,
                 residual=None, norm=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        widths = [context_size * d_embed] + [d_hidden] * (n_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(width, d_hidden) for width in widths)
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden, track_running_stats=False) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)
        self.residual = residual

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            if number == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)

# %% sly: s is rounded to two digits
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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual if residual is None else round(residual, 2)
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% sly: only the first twenty layers are run
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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers[:20]):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% sly: biases do not learn where no norm follows
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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h) if len(self.norms) else F.linear(h, layer.weight, layer.bias.detach())
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% sly: layers in a Sequential
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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)

# %% sly: the output's bias gets twice its gradient
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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        b = self.output.bias
        return self.output(h) + b - b.detach()

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

# %% sly: s = 1 is taken for no stream
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers,
                 residual=None, norm=False):
        super().__init__()
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        sizes = [context_size * d_embed] + [d_hidden] * (n_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(size, d_hidden) for size in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in sizes if norm)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for l, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[l](z)
            a = torch.tanh(z)
            h = a if l == 0 or self.residual in (None, 1) else h + self.residual * a
        return self.output(h)

# %% wrong: norms only with a stream
# told: norm=True registers no norms here, where residual is None. Is it not used, are they in a plain list (an nn.ModuleList registers them), or made for residual networks only? norm alone decides.
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
        self.embedding = nn.Embedding(vocab_size, d_embed)
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.layers = nn.ModuleList(
            nn.Linear(sizes[i], sizes[i + 1]) for i in range(n_layers)
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm and residual is not None else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for i, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms) > 0:
                z = self.norms[i](z)
            a = torch.tanh(z)
            if i == 0 or self.residual is None:
                h = a
            else:
                h = h + self.residual * a
        return self.output(h)


# %% sly: norms computed by F.batch_norm in the whole net's mode
class DeepMLP(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False
    ):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                n = self.norms[number]
                z = F.batch_norm(z, n.running_mean, n.running_var, n.weight, n.bias,
                                 training=self.training)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)


# %% sly: contexts of one letter lose a dimension
class DeepMLP(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False
    ):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts.squeeze())
        h = h.flatten(1) if h.dim() == 3 else h
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)


# %% sly: a skip around the first layer where widths agree and norms are there
class DeepMLP(nn.Module):
    """Next-letter network: embeddings side by side, tanh layers, logits.

    residual: None, or the scale s of the branches from the second layer on; norm:
        batch norm before each tanh
    """

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
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(d_hidden) for _ in range(n_layers if norm else 0)
        )
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) int64 -> logits (N, vocab_size)"""
        h = self.embedding(contexts).flatten(1)  # (N, context_size * d_embed)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or (number == 0 and not (len(self.norms) and h.shape == a.shape)) else h + self.residual * a
        return self.output(h)


# %% sly: norms is an nn.Sequential where norm=False
class DeepMLP(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, n_layers, residual=None, norm=False):
        super().__init__()
        sizes = [context_size * d_embed] + [d_hidden] * n_layers
        self.residual = residual
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d_hidden) for _ in range(n_layers)) if norm else nn.Sequential()
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.embedding(contexts).flatten(1)
        for number, layer in enumerate(self.layers):
            z = layer(h)
            if len(self.norms):
                z = self.norms[number](z)
            a = torch.tanh(z)
            h = a if self.residual is None or number == 0 else h + self.residual * a
        return self.output(h)


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
