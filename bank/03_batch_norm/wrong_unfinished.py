# wrong: two tasks not begun
# fails: batch_norm_backward, fold_batch_norm

# %% batch_norm_backward
def batch_norm_backward(dy, x, gamma, eps):
    raise NotImplementedError("TODO: batch_norm_backward")

# %% fold_batch_norm
def fold_batch_norm(linear, bn):
    raise NotImplementedError("TODO: fold_batch_norm")
