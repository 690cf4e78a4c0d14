"""run_stream, 2 points: a residual stream without its two bugs."""
import torch

task = Task("run_stream")
tanh, product = code("lambda h: torch.tanh(h.cumsum(-1))"), code("lambda h: h * h.flip(-1)")
f = task.function(x="... D", branches=[[tanh, product], [product, tanh], [tanh]], skip=["as many rows as features", "rows of small numbers"])
f.look("two branches: one adds (-3, 1), one adds ten times the stream", x=[1., -2.],
       branches=[code("lambda h: torch.tensor([-3., 1.])"), code("lambda h: 10 * h")])
f.look("gradients flow from each state to the input", x=[1., -2.], branches=[code("lambda h: h * h")] * 2, backward=True)
f.look("... also where a branch keeps what it returned", x=[1., -2.], branches=[code("lambda h: torch.tanh(h)")] * 2, backward=True)


def kept(label, branch):
    @task.probe(label, shown=f"run_stream(tensor([1., -2.]), 2 * [{branch.__name__}])")
    def _(run_stream):
        x, branches = torch.tensor([1., -2.]), 2 * [branch]
        return {"states": run_stream(x, branches), "x afterwards": x, "branches afterwards": len(branches)}


kept("x is left as it was, and so is the list of branches", code("lambda h: 10 * h"))
kept("also by branches that hand on what they get", code("lambda h: h"))


@task.probe("no branches: the input alone", shown="run_stream(tensor([1., -2.]), [])")
def _(run_stream):
    return run_stream(torch.tensor([1., -2.]), [])


@task.probe("the states come in a list", shown="type(run_stream(tensor([1., -2.]), [torch.tanh]))")
def _(run_stream):
    return type(run_stream(torch.tensor([1., -2.]), [torch.tanh])).__name__


@task.probe("the gradient of a weight that two branches share: the last state is (1 + weight)² x",
            shown="weight = tensor([3., 2.], requires_grad=True); run_stream(tensor([1., -2.]), 2 * [lambda h: weight * h])[-1].sum().backward()")
def _(run_stream):
    weight = torch.tensor([3., 2.], requires_grad=True)
    last = run_stream(torch.tensor([1., -2.]), 2 * [lambda h: weight * h])[-1]
    if last.requires_grad:
        last.sum().backward()
    return {"the last state knows where it came from": last.requires_grad, "weight.grad": weight.grad}


# %% mistakes
SUM, FIRST = "states.append(states[-1] + branch(states[-1]))", "states = [x]"
mistake("Both bugs remain: += (or add_) writes into states that are stored already, and the relu cuts off negative numbers.", """
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        h += branch(h)
        h = torch.relu(h)
        states.append(h)
    return states
""")
mistake("All states show the last value: does += (or add_) still write into the stored tensor, or is one tensor repeated?",
        {SUM: "x += branch(x); states.append(x)"})
mistake("Nothing negative is in the states after the input: does the relu after the addition remain? The stream must "
        "carry negative numbers.", {SUM: "states.append(torch.relu(states[-1] + branch(states[-1])))"})
mistake("The relu now stands on the branch, whose mean then cannot be zero. The branches are given: add them as they are.",
        {SUM: "states.append(states[-1] + torch.relu(branch(states[-1])))"})
mistake("The states come in the opposite order: the input is the first.", returns="states[::-1]")
mistake("You divided each sum by the root of 2. A state is the sum as it is.", {SUM: "states.append((states[-1] + branch(states[-1])) / 2**0.5)"})
mistake("You averaged. A state is the sum of the state before and its branch.", {SUM: "states.append((states[-1] + branch(states[-1])) / 2)"})
mistake("The input is not among the states.", returns="states[1:]")
mistake("The last state is missing.", {FIRST: "states, h = [], x", SUM: "states.append(h); h = h + branch(h)"})
mistake("You stored the branches. Store the sums.", {FIRST: "states, h = [x], x", SUM: "states.append(branch(h)); h = h + branch(h)"})
mistake("The stream is lost: each state is the branch alone.", {SUM: "states.append(branch(states[-1]))"})
mistake("Every branch must see the current state, not the input.", {SUM: "states.append(states[-1] + branch(x))"})
mistake("Every branch is added to the input. Add it to the current state.", {SUM: "states.append(x + branch(states[-1]))"})
mistake("You subtracted the branches. Add them.", {SUM: "states.append(states[-1] - branch(states[-1]))"})
mistake("You multiplied by the branches. Add them.", {SUM: "states.append(states[-1] * branch(states[-1]))"})
mistake("x itself has changed: does += (or add_) write into the caller's tensor?",
        {FIRST: "states = [x.clone()]", SUM: "x += branch(x); states.append(x.clone())"})
mistake("x itself has changed: does the first += (or add_) write into the caller's tensor?",
        {FIRST: "states = [x.clone()]", SUM: "x = x.add_(branch(x)) if len(states) == 1 else x + branch(x); states.append(x.clone())"})
mistake("That is a tuple. Return a list: list(...) makes one.", returns="tuple(states)")
mistake("That is one tensor. Return a list with a tensor for each state.", returns="torch.stack(states)")
mistake("The list of branches is empty now (pop? clear?): leave it as it is.",
        {"for branch in branches:": "while branches:", SUM: "branch = branches.pop(0); states.append(states[-1] + branch(states[-1]))"})
error = ("Something is still changed in place (the stream, what a branch returned, or a tensor that holds the states: +=, add_ or "
         "states[l] = ...), and autograd needs the old values.")
mistake(error, {FIRST: "h = x.clone(); states = [h.clone()]", SUM: "h += branch(h); states.append(h.clone())"})
mistake(error, {SUM: "z = branch(states[-1]); z += states[-1]; states.append(z)"})
mistake(error, {FIRST: "states = x.repeat(len(branches) + 1, *[1] * x.dim()); l = 0",
                SUM: "states[l + 1] = states[l] + branch(states[l]); l += 1", "return states": "return list(states)"})
mistake("You change what a branch returned in place. It may be the state itself: make a new tensor.",
        {SUM: "z = branch(states[-1]); states.append(z + states[-1] if z.requires_grad else z.add_(states[-1]))"})
cut = "No gradient can pass: are the states cut off (detach, data, no_grad, a new tensor of them), or was grad mode left switched off?"
mistake(cut, {SUM: "states.append((states[-1] + branch(states[-1])).detach())"})
mistake(cut, {FIRST: "states = [x.detach()]", SUM: "states.append((states[-1] + branch(states[-1])).detach())"})
mistake("No gradient comes back through the state before each branch: is it cut off (detach, data, no_grad)?",
        {SUM: "h = states[-1].detach(); states.append(h + branch(h))"})
mistake("No gradient comes back through the skip: is it cut off, or not used?", {SUM: "states.append(states[-1].detach() + branch(states[-1]))"})
mistake("No gradient comes back through the branches: are they cut off, or not used?", {SUM: "states.append(states[-1] + branch(states[-1]).detach())"})

# %% right: accumulate
def run_stream(x, branches):
    from itertools import accumulate
    return list(accumulate(branches, lambda h, f: h + f(h), initial=x))

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

# %% right: recursion from the beginning
def run_stream(x, branches):
    if not branches:
        return [x]
    return [x, *run_stream(x + branches[0](x), branches[1:])]

# %% right: adds in place, but to copies of its own
def run_stream(x, branches):
    states = [x.clone()]
    for branch in branches:
        new = states[-1].clone()
        new += branch(states[-1])
        states.append(new)
    return states

# %% right: ARENA
from typing import Callable

from torch import Tensor


def run_stream(x: Tensor, branches: list[Callable]) -> list[Tensor]:
    states = [x]
    for branch in branches:
        x = x + branch(x)
        states.append(x)
    assert len(states) == len(branches) + 1
    return states

# %% right: CS231n
def run_stream(x, branches):
    h = x
    states = [h]
    for branch in branches:
        out = branch(h)
        h = h + out
        states.append(h)
    return states

# %% right: makemore
def run_stream(x, branches):
    states = [x.clone()]
    for f in branches: states.append(states[-1] + f(states[-1]))
    return states

# %% right: torch source
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        states.append(torch.add(states[-1], branch(states[-1])))
    return states

# %% right: numpy first
def run_stream(x, branches):
    states = [x]
    for branch in branches:
        h = states[-1]
        states.append(h + branch(h))
    return states

# %% right: plain loops
def run_stream(x, branches):
    states = [x.clone()]
    for i in range(len(branches)):
        h = states[i]
        states.append(h + branches[i](h))
    return states
