# wrong: hands the code back as it was
# fails: run_stream
# told: Both bugs remain

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        h = torch.relu(h)
        states.append(h)
    return states
