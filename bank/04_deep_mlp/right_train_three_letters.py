# right: looks at the last three letters only, which is enough

# %% train_names_model
class LastThree(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(72, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(contexts[:, -3:])


def train_names_model(train_set):
    set_seed(0)
    model = LastThree()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 900), optimizer, schedule=lambda step: 1 - step / 900)
    return model
