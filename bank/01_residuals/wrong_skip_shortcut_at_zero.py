# wrong: skips the branch while alpha is zero, so alpha never moves
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
        if self.alpha == 0:
            return x + 0 * (self.fc1.weight.sum() + self.fc2.weight.sum())
        return x + self.alpha * self.fc2(torch.relu(self.fc1(x)))
