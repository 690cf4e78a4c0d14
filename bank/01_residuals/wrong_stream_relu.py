# wrong: removes the += only
# fails: run_stream
# told: One bug remains: a relu after the addition

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h = torch.relu(h + branch(h))
        states.append(h)
    return states
