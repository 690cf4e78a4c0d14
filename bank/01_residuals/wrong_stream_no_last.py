# wrong: the last state is not stored
# fails: run_stream
# told: The last state is missing

# %% run_stream
def run_stream(x, branches):
    states = []
    for branch in branches:
        states.append(x)
        x = x + branch(x)
    return states
