# right: a deep residual net with batch norm, SGD with momentum, a loop of its own

# %% train_names_model
class Deep(nn.Module):
    def __init__(self, width=128, depth=3):
        super().__init__()
        self.embed = nn.Embedding(27, 16)
        self.first = nn.Linear(CONTEXT * 16, width)
        self.rest = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Tanh()) for _ in range(depth))
        self.head = nn.Linear(width, 27)

    def forward(self, x):
        h = torch.tanh(self.first(self.embed(x).flatten(1)))
        for block in self.rest:
            h = h + block(h)
        return self.head(h)


def train_names_model(train_set):
    set_seed(1)
    model, steps = Deep(), 900
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step, (x, y) in enumerate(train_set.batches(512, steps)):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / steps)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
