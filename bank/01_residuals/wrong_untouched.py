# wrong: an empty notebook
# fails: residual, ResidualLayer, residual_layer_backward, ResidualBlock, gradient_norms, stream_std, SkipInit, end_to_end_jacobian, condition_number, run_stream

# %% residual
def residual(x, branch):
    raise NotImplementedError()

# %% ResidualLayer
class ResidualLayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        raise NotImplementedError()

# %% residual_layer_backward
def residual_layer_backward(dy, x, weight, bias):
    raise NotImplementedError()

# %% ResidualBlock
class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        raise NotImplementedError()

# %% gradient_norms
def gradient_norms(network, x, target):
    raise NotImplementedError()

# %% stream_std
def stream_std(depth, branch_scale):
    raise NotImplementedError()


def measured_std(x, branches, branch_scale):
    raise NotImplementedError()

# %% SkipInit
class SkipInit(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        raise NotImplementedError()

# %% end_to_end_jacobian
def end_to_end_jacobian(network, x):
    raise NotImplementedError()

# %% condition_number
def condition_number(jacobian):
    raise NotImplementedError()


def reading():
    raise NotImplementedError()

# %% run_stream
def run_stream(x, branches):
    raise NotImplementedError()
