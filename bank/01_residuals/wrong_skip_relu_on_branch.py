# wrong: relu on the branch's output
# fails: SkipInit
# told: There is a relu on the branch's output

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_model)
        self.fc2 = nn.Linear(d_model, d_model)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * torch.relu(self.fc2(torch.relu(self.fc1(x))))
