# right: layers appended in a loop, view in place of flatten, the first layer apart

# %% DeepMLP
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
