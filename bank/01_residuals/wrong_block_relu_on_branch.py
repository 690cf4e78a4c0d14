# wrong: relu on the branch's output
# fails: ResidualBlock
# told: There is a relu on the branch's output

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.shortcut = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return self.shortcut(x) + torch.relu(self.fc2(torch.relu(self.fc1(x))))
