# wrong: hides the layer in a Python list
# fails: ResidualLayer
# told: Nothing is registered

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_model)]

    def forward(self, x):
        return x + torch.tanh(self.layers[0](x))
