# wrong: no relu
# fails: SkipInit
# told: The relu between fc1 and fc2 is missing

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.fc2(self.fc1(x))
