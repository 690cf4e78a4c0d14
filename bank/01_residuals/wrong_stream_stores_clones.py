# wrong: stores copies and still changes x
# fails: run_stream
# told: x itself has changed

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h.clone()]
    for branch in branches:
        h += branch(h)
        states.append(h.clone())
    return states
