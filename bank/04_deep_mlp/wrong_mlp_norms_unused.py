# wrong: makes the norms and never calls them
# fails: DeepMLP
# told: The norms are not used

# %% DeepMLP
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
