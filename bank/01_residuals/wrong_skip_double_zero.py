# wrong: fc2 starts at zero too: the block never learns
# fails: SkipInit
# told: fc2 starts at zero as well as alpha

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        nn.init.zeros_(self.fc2.weight)
        nn.init.zeros_(self.fc2.bias)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))
