# wrong: calls the layer fc
# fails: ResidualLayer
# told: Call the layer linear

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.fc = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(self.fc(x))
