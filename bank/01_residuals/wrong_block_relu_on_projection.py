# wrong: relu on the projection
# fails: ResidualBlock
# told: There is a relu on the projection

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        projected = self.shortcut(x)
        if projected is not x:
            projected = torch.relu(projected)
        return projected + self.fc2(torch.relu(self.fc1(x)))
