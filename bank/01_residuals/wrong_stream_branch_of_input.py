# wrong: feeds every branch the input
# fails: run_stream
# told: Every branch must see the current state

# %% run_stream
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(states[-1] + branch(x))
    return states
