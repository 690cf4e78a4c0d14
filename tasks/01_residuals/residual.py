"""residual, 1 point: the input plus what the branch makes of it."""
import torch

task = Task("residual")
f = task.function(x="... D", branch=[code("lambda h: torch.tanh(h.cumsum(-1))"), code("lambda h: h * h.flip(-1)")],
                  skip=["as many rows as features", "rows far from 0"])
f.look("the input plus ten times the input", x=[1., 2.], branch=code("lambda h: 10 * h"))
f.look("the gradient takes both ways back", x=[1., 2.], branch=code("lambda h: h * h"), backward=True)


def kept(label, branch):
    @task.probe(label, shown=f"residual(tensor([1., 2.]), {branch.__name__})")
    def _(residual):
        x = torch.tensor([1., 2.])
        return {"result": residual(x, branch), "x afterwards": x}


kept("x is left as it was", code("lambda h: 10 * h"))
kept("also by a branch that hands on what it gets", code("lambda h: h"))


@task.probe("the branch is called once", shown="how often residual(x, branch) calls the branch")
def _(residual):
    calls = []
    residual(torch.ones(2), lambda h: calls.append(1) or 10 * h)
    return len(calls)


@task.probe("a weight of the branch gets its gradient, where x wants none", drawn=True,
            shown="weight.grad, after residual(x, lambda h: torch.tanh(h @ weight)).square().sum().backward()")
def _(residual):
    weight = sample(5, 5, seed=15).requires_grad_()
    residual(sample(3, 5, seed=16), lambda h: torch.tanh(h @ weight)).square().sum().backward()
    return weight.grad


# %% mistakes
mistake("You returned the branch alone, or the larger of the two. Add the input back.", returns="branch(x)")
mistake("You returned the branch alone, or the larger of the two. Add the input back.", returns="torch.maximum(x, branch(x))")
mistake("You multiplied by the branch. Add it.", returns="x * branch(x)")
twice = "This is twice the branch, or the branch of twice the input. Add the input to what the branch makes of it."
mistake(twice, returns="2 * branch(x)")
mistake(twice, returns="branch(x + x)")
mistake("You subtracted the branch.", returns="x - branch(x)")
mistake("You averaged the two. Add them.", returns="(x + branch(x)) / 2")
mistake("You added the input twice.", returns="x + x + branch(x)")
mistake("You changed x before the branch saw it, or ran the branch twice.", returns="branch(x + branch(x))")
mistake("You ran the branch twice. Call it once.", returns="x + (branch(x) + branch(x)) / 2")
mistake("The branch has no effect: you returned the input alone.", returns="x")
mistake("This is twice the input. Add what the branch makes of it.", returns="x + x")
inplace = "You changed x in place (x += ..., add_ or the like). Its owner sees that: make a new tensor."
mistake(inplace, returns="x.add_(branch(x))")
mistake("You changed what the branch returned in place. It may be x itself: make a new tensor.",
        returns="x + z if (z := branch(x)).requires_grad else z.add_(x)")
cut = "No gradient comes back through {}: is it cut off (detach, data, no_grad, a new tensor of it), or not used?"
mistake(cut.format("the skip"), returns="x.detach() + branch(x)")
mistake(cut.format("the branch"), returns="x + branch(x).detach()")
mistake(cut.format("the branch"), returns="x + branch(x.detach())")

# %% right: sums a stack
def residual(x, branch):
    return torch.stack([x, branch(x)]).sum(0)

# %% right: clones first
def residual(x, branch):
    out = x.clone()
    out += branch(x)
    return out

# %% right: added in double precision, given back in what the sum of the two has
def residual(x, branch):
    change = branch(x)
    return (x.double() + change.double()).to(torch.result_type(x, change))

# %% right: asks x for a gradient
def residual(x, branch):
    if x.is_leaf:
        x.requires_grad_()
    return x + branch(x)

# %% right: ARENA
from typing import Callable

from torch import Tensor


def residual(x: Tensor, branch: Callable[[Tensor], Tensor]) -> Tensor:
    out = branch(x)
    assert out.shape == x.shape
    return x + out

# %% right: CS231n
def residual(x, branch):
    out = branch(x)
    return out + x

# %% right: makemore
def residual(x, branch): return x + branch(x)

# %% right: torch source
def residual(x, branch):
    r"""Adds the input to what ``branch`` makes of it."""
    return torch.add(x, branch(x))

# %% right: numpy first
def residual(x, branch):
    y = branch(x)
    return x + y

# %% right: plain loops
def residual(x, branch):
    change = branch(x)
    result = x + change
    return result
