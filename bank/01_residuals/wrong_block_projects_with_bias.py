# wrong: a projection with bias
# fails: ResidualBlock
# told: The projection has no bias

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))
