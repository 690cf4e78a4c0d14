# wrong: squashes the stream as well
# fails: ResidualLayer
# told: You squashed the stream too

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.tanh(x) + torch.tanh(self.linear(x))
