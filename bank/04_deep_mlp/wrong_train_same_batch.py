# wrong: trains on one batch over and over
# fails: train_names_model
# told: Far worse than guessing

# %% train_names_model
def train_names_model(train_set):
    """Train a model that predicts the next letter from the last CONTEXT letters.

    train_set.batches(batch_size, steps) yields (contexts (batch_size, CONTEXT), targets (batch_size,))
    returns: nn.Module, contexts (N, CONTEXT) -> logits (N, 27)
    """
    set_seed(0)
    steps = 300
    model = nn.Sequential(nn.Embedding(27, 24), nn.Flatten(), nn.Linear(CONTEXT * 24, 256), nn.Tanh(), nn.Linear(256, 27))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    train(model, list(train_set.batches(512, 1)) * steps, optimizer, schedule=lambda step: 1 - step / steps)
    return model
