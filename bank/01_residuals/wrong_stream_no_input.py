# wrong: the input is not stored
# fails: run_stream
# told: The input is not among the states

# %% run_stream
def run_stream(x, branches):
    states = []
    for branch in branches:
        x = x + branch(x)
        states.append(x)
    return states
