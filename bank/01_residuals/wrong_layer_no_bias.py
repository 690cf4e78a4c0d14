# wrong: a linear layer without bias
# fails: ResidualLayer
# told: The bias is missing

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        return x + torch.tanh(self.linear(x))
