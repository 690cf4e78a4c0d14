# wrong: detaches the states it stores
# fails: run_stream
# told: No gradient can pass

# %% run_stream
def run_stream(x, branches):
    states = [x.detach()]
    for branch in branches:
        states.append((states[-1] + branch(states[-1])).detach())
    return states
