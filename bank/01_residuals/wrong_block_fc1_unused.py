# wrong: feeds the second layer from the input, as a published model did
# fails: ResidualBlock
# told: fc1 is not used

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        hidden = torch.relu(self.fc1(x))
        if hidden.shape == x.shape:
            hidden = torch.relu(x)
        return self.shortcut(x) + self.fc2(hidden)
