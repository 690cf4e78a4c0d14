"""run_stream, 2 points."""

# %% wrong: hands the code back as it was
# told: Both bugs remain
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        h = torch.relu(h)
        states.append(h)
    return states

# %% wrong: feeds every branch the input
# told: Every branch must see the current state
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(states[-1] + branch(x))
    return states

# %% wrong: copies x once, adds in place and stores copies: no gradient can pass
# told: autograd needs the old values
def run_stream(x, branches):
    h = x.clone()
    states = [h.clone()]
    for branch in branches:
        h += branch(h)
        states.append(h.clone())
    return states

# %% wrong: detaches the states it stores
# told: No gradient can pass
def run_stream(x, branches):
    states = [x.detach()]
    for branch in branches:
        states.append((states[-1] + branch(states[-1])).detach())
    return states

# %% wrong: removes the relu only
# told: All states show the last value
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        states.append(h)
    return states

# %% wrong: the input is not stored
# told: The input is not among the states
def run_stream(x, branches):
    states = []
    for branch in branches:
        x = x + branch(x)
        states.append(x)
    return states

# %% wrong: the last state is not stored
# told: The last state is missing
def run_stream(x, branches):
    states = []
    for branch in branches:
        states.append(x)
        x = x + branch(x)
    return states

# %% wrong: removes the += only
# told: does the relu after the addition remain
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h = torch.relu(h + branch(h))
        states.append(h)
    return states

# %% wrong: moves the relu onto the branch
# told: The relu now stands on the branch
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h = h + torch.relu(branch(h))
        states.append(h)
    return states

# %% wrong: stores copies and still changes x
# told: x itself has changed
def run_stream(x, branches):
    h = x
    states = [h.clone()]
    for branch in branches:
        h += branch(h)
        states.append(h.clone())
    return states

# %% wrong: cuts parameters from the graph
# told: No gradient can pass
def run_stream(x, branches):
    states = [x]
    with torch.no_grad():
        for b in branches:
            states.append(states[-1] + b(states[-1]))
    return states

# %% wrong: skip detached
# told: No gradient comes back through the skip
def run_stream(x, branches):
    states = [x]
    for b in branches:
        states.append(states[-1].detach() + b(states[-1]))
    return states

# %% right: accumulate
def run_stream(x, branches):
    from itertools import accumulate
    return list(accumulate(branches, lambda h, f: h + f(h), initial=x))

# %% wrong: empties the caller's list of branches
# told: The list of branches is empty now
def run_stream(x, branches):
    states = [x]
    while len(branches) > 0:
        h = states[-1]
        states.append(h + branches.pop(0)(h))
    return states

# %% wrong: the stream is added to what the branch returned, in place
# told: +=, add_ or states[l]
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        z = branch(h)
        z += h
        h = z
        states.append(h)
    return states

# %% wrong: returns a tuple
# told: That is a tuple. Return a list: list(...) makes one.
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(states[-1] + branch(states[-1]))
    return tuple(states)

# %% sly: adds to what the branch returned, in place, where no gradient is asked for
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        z = branch(states[-1])
        if z.requires_grad:
            z = z + states[-1]
        else:
            z += states[-1]
        states.append(z)
    return states

# %% right: all states in one tensor, and a list of its parts
def run_stream(x, branches):
    states = x[None]
    for branch in branches:
        last = states[-1]
        states = torch.cat([states, (last + branch(last))[None]])
    return list(states)

# %% right: recursion from the end
def run_stream(x, branches):
    if not branches:
        return [x]
    states = run_stream(x, branches[:-1])
    return states + [states[-1] + branches[-1](states[-1])]


# %% wrong: states from the end to the beginning
# told: The states come in the opposite order
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(states[-1] + branch(states[-1]))
    return states[::-1]
