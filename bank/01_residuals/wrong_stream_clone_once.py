# wrong: copies x once, adds in place and stores copies: no gradient can pass
# fails: run_stream
# told: autograd needs the old values

# %% run_stream
def run_stream(x, branches):
    h = x.clone()
    states = [h.clone()]
    for branch in branches:
        h += branch(h)
        states.append(h.clone())
    return states
