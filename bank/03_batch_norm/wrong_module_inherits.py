# wrong: inherits from torch's layer
# fails: BatchNorm1d, BatchNorm1d_inputs
# told: You inherited from torch's ready-made batch norm

# %% BatchNorm1d
class BatchNorm1d(nn.BatchNorm1d):
    pass
