# wrong: no skip
# fails: ResidualLayer
# told: You returned the branch alone

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(self.linear(x))
