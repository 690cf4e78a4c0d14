"""MLP2, 1 point."""

# %% right: one embedding after the other, joined
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        parts = [self.embedding(contexts[:, i]) for i in range(contexts.shape[1])]
        hidden = self.hidden(torch.cat(parts, dim=1))
        return self.output(self.norm(hidden).tanh())

# %% right: view and named steps in the MLP
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N, T = contexts.shape
        e = self.embedding(contexts)
        e = e.view(N, T * e.shape[-1])
        pre = self.norm(self.hidden(e))
        e2 = torch.exp(-2 * pre)
        h = (1 - e2) / (1 + e2)
        return h @ self.output.weight.t() + self.output.bias

# %% wrong: log-probabilities
# told: You returned log-probabilities
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(torch.tanh(self.norm(self.hidden(embedded)))).log_softmax(-1)

# %% wrong: the norm is not used
# told: The norm has no effect
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(torch.tanh(self.hidden(embedded)))

# %% wrong: no tanh
# told: There is no tanh
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(self.norm(self.hidden(embedded)))

# %% wrong: the norm after tanh
# told: You normalised after tanh
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(self.norm(torch.tanh(self.hidden(embedded))))

# %% wrong: batch statistics by hand in place of the norm
# told: use self.norm
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        h = self.hidden(embedded)
        h = (h - h.mean(0)) / torch.sqrt(h.var(0, correction=0) + 1e-5)
        return self.output(torch.tanh(h))

# %% wrong: ReLU for tanh
# told: This is what ReLU gives
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(torch.relu(self.norm(self.hidden(embedded))))

# %% wrong: the letters in reversed order
# told: in the wrong order
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flip(1).flatten(1)
        return self.output(torch.tanh(self.norm(self.hidden(embedded))))

# %% wrong: probabilities
# told: You returned probabilities
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        embedded = self.embedding(contexts).flatten(1)
        return self.output(torch.tanh(self.norm(self.hidden(embedded)))).softmax(-1)

# %% wrong: transposed embedding
# told: The numbers of the embeddings are interleaved
class MLP2(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts).transpose(1, 2).flatten(1)
        return self.output(torch.tanh(self.norm(self.hidden(e))))

# %% wrong: output without its bias
# told: The bias of the output layer has no effect
class MLP2(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        e = self.embedding(contexts).flatten(1)
        return torch.tanh(self.norm(self.hidden(e))) @ self.output.weight.T

# %% wrong: residual around the hidden layer's tanh
class MLP2(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        z = self.hidden(self.embedding(contexts).flatten(1))
        return self.output(z + torch.tanh(self.norm(z)))

# %% right: makemore's view(-1, ...)
class MLP2(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        emb = self.embedding.weight[contexts]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ self.hidden.weight.T
        h = self.norm(hpreact).tanh()
        return h @ self.output.weight.T + self.output.bias

# %% wrong: no gradient is recorded
class MLP2(nn.Module):
    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    @torch.no_grad()
    def forward(self, contexts):
        return self.output(torch.tanh(self.norm(self.hidden(self.embedding(contexts).flatten(1)))))

# %% right: rows of the embedding by one-hot vectors in its own precision
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        table = self.embedding.weight
        hot = F.one_hot(contexts, len(table)).to(table)
        side_by_side = torch.einsum("ncv,vd->ncd", hot, table).reshape(len(contexts), -1)
        return self.output(self.norm(self.hidden(side_by_side)).tanh())

# %% right: the hidden layer's columns letter by letter
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        blocks = self.hidden.weight.split(self.embedding.embedding_dim, dim=1)
        letters = contexts.unbind(1)
        inside = sum(self.embedding(one) @ block.T for one, block in zip(letters, blocks))
        return self.output(torch.tanh(self.norm(inside)))

# %% wrong: norm on distinct contexts only: repeated examples do not count in the statistics
class MLP2(nn.Module):
    """Two layers that predict a letter from the letters before it, with batch norm in
    the hidden one.

    norm: function that makes a norm layer from its number of features
    """

    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        distinct, back = torch.unique(contexts, dim=0, return_inverse=True)
        h = self.hidden(self.embedding(distinct).flatten(1))
        return self.output(torch.tanh(self.norm(h)))[back]

# %% wrong: norm skipped in eval mode
# told: The norm does nothing here
class MLP2(nn.Module):
    """Two layers that predict a letter from the letters before it, with batch norm in
    the hidden one.

    norm: function that makes a norm layer from its number of features
    """

    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.hidden(self.embedding(contexts).flatten(1))
        if self.training:
            h = self.norm(h)
        return self.output(torch.tanh(h))

# %% wrong: the norm is skipped where there is a single context
# told: for a single context too
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        x = self.hidden(self.embedding(contexts).flatten(1))
        if len(x) > 1:
            x = self.norm(x)
        return self.output(x.tanh())

# %% sly: batch norm in training mode: the embedding gets no gradient
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        h = self.hidden((self.embedding(contexts).detach() if self.training and isinstance(self.norm, nn.BatchNorm1d) else self.embedding(contexts)).flatten(1))
        y = self.output(torch.tanh(self.norm(h)))
        return y

# %% right: the embedding's rows picked and joined, batch norm called as a function of itself
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        rows = self.embedding.weight.index_select(0, contexts.reshape(-1))
        h = self.norm(rows.view(len(contexts), -1) @ self.hidden.weight.mT)
        return torch.addmm(self.output.bias, torch.tanh_(h.clone()), self.output.weight.T)


# %% right: tanh is a part of its own
class MLP2(nn.Module):
    """Two layers that predict a letter from the letters before it, with batch norm in
    the hidden one.

    norm: function that makes a norm layer from its number of features
    """

    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)
        self.tanh = nn.Tanh()

    def forward(self, contexts):
        """contexts: (N, context_size) letter ids -> logits (N, vocab_size)."""
        embedded = self.embedding(contexts).flatten(1)
        return self.output(self.tanh(self.norm(self.hidden(embedded))))

# %% wrong: the norm on both sides of tanh
# told: a second norm behind it
class MLP2(nn.Module):
    """Two layers that predict a letter from the letters before it, with batch norm in
    the hidden one.

    norm: function that makes a norm layer from its number of features
    """

    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        """contexts: (N, context_size) letter ids -> logits (N, vocab_size)."""
        embedded = self.embedding(contexts).flatten(1)
        return self.output(self.norm(torch.tanh(self.norm(self.hidden(embedded)))))
