# right: layer norm and GELU, a validation set of its own, the best of its checkpoints

# %% train_names_model
import copy


def train_names_model(train_set):
    set_seed(7)
    model = nn.Sequential(nn.Embedding(27, 20), nn.Flatten(), nn.Linear(CONTEXT * 20, 200), nn.LayerNorm(200), nn.GELU(), nn.Linear(200, 27))
    held_back = NamesDataset(validation_names[:500], CONTEXT)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3)
    best, best_loss = None, math.inf
    for part in range(4):
        train(model, train_set.batches(256, 400, seed=part), optimizer, schedule=lambda step: 1 - part / 4)
        with torch.no_grad():
            loss = F.cross_entropy(model.eval()(held_back.contexts), held_back.targets).item()
        if loss < best_loss:
            best, best_loss = copy.deepcopy(model), loss
    return best
