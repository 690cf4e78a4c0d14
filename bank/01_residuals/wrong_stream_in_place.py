# wrong: removes the relu only
# fails: run_stream
# told: One bug remains: h += ...

# %% run_stream
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        states.append(h)
    return states
