# wrong: adds in place
# fails: ResidualLayer

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        x += torch.tanh(self.linear(x))
        return x
