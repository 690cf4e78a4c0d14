# wrong: a branch that begins with an in-place relu, and so rewrites the stream
# fails: ResidualBlock
# told: The branch changed x in place

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        branch = self.fc2(self.fc1(F.relu(x, inplace=True)))
        return self.shortcut(x) + branch
