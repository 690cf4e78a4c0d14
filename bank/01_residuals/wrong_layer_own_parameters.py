# wrong: registers weight and bias on itself
# fails: ResidualLayer
# told: You registered weight and bias on the layer itself

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return x + torch.tanh(F.linear(x, self.weight, self.bias))
