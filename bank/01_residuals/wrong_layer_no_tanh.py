# wrong: no activation
# fails: ResidualLayer
# told: The branch has no tanh

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + self.linear(x)
