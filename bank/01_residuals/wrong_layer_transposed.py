# wrong: multiplies by the weight without transposing it
# fails: ResidualLayer
# told: Your weight is transposed

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        return x + torch.tanh(x @ self.linear.weight + self.linear.bias)
