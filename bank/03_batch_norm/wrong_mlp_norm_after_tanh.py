# wrong: the norm after tanh
# fails: MLP2
# told: You normalised after tanh

# %% MLP2
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
