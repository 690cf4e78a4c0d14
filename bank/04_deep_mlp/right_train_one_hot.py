# right: one-hot letters, ReLU, Adam with one cycle, log-probabilities for logits

# %% train_names_model
class OneHot(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(27 * CONTEXT, 300), nn.ReLU(), nn.Linear(300, 27), nn.LogSoftmax(dim=-1))

    def forward(self, x):
        return self.net(F.one_hot(x, 27).float().flatten(1))


def train_names_model(train_set):
    torch.manual_seed(3)
    model = OneHot()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=900)
    for x, y in train_set.batches(512, 900):
        optimizer.zero_grad()
        F.nll_loss(model(x), y).backward()
        optimizer.step()
        schedule.step()
    return model
