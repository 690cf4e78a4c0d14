# right: embedding looked up by index, matrices multiplied by hand, tanh from exponentials

# %% DeepMLP
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
