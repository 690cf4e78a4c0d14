# wrong: sees the last letter only
# fails: train_names_model
# told: Your model looks at the last letter only

# %% train_names_model
class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(27, 24), nn.Linear(24, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(contexts[:, -1])


def train_names_model(train_set):
    set_seed(0)
    model = Bigram()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 500), optimizer, schedule=lambda step: 1 - step / 500)
    return model
