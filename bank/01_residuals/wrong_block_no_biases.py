# wrong: fc1 and fc2 without bias
# fails: ResidualBlock
# told: fc1 and fc2 have biases

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out, bias=False)
        self.fc2 = nn.Linear(d_out, d_out, bias=False)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + self.fc2(torch.relu(self.fc1(x)))
