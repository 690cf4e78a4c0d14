# wrong: averages the embeddings
# fails: train_names_model
# told: does not know the order of the letters

# %% train_names_model
class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(27, 64)
        self.net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 27))

    def forward(self, contexts):
        return self.net(self.embedding(contexts).mean(1))


def train_names_model(train_set):
    set_seed(0)
    model = Average()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, train_set.batches(512, 500), optimizer, schedule=lambda step: 1 - step / 500)
    return model
