# wrong: cuts x, or broadcasts it, in place of projecting
# fails: ResidualBlock
# told: torch broadcast its one feature

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        branch = self.fc2(torch.relu(self.fc1(x)))
        return x[..., :branch.shape[-1]] + branch
