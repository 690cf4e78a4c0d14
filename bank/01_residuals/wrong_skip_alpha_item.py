# wrong: reads alpha as a number
# fails: SkipInit
# told: alpha gets no gradient

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha.item() * self.fc2(torch.relu(self.fc1(x)))
