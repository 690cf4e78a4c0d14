# wrong: never projects
# fails: ResidualBlock
# told: There is no projection

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity()

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))
