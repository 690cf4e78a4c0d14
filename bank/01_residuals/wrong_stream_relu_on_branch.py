# wrong: moves the relu onto the branch
# fails: run_stream
# told: The relu now stands on the branch

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h = h + torch.relu(branch(h))
        states.append(h)
    return states
