# right: view and named steps in the MLP

# %% MLP2
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
