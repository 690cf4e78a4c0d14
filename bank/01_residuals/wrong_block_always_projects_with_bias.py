# wrong: projects always, with bias
# fails: ResidualBlock
# told: and with a bias

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Linear(d_in, d_out)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))
