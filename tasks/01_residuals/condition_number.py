"""condition_number, 1 point: the largest singular value by the smallest, and a reading of the picture."""
import torch

task = Task("condition_number")
NAMES, WORDS = {"plain", "residual, s = 1", "SkipInit, alpha = 0", "SkipInit, alpha = 1/√L"}, {"lost", "uneven", "kept"}
f = task.function(gradient=False, jacobian="N D", skip=["double"])
f.look("a diagonal matrix", jacobian=[[3., 0., 0.], [0., 0.5, 0.], [0., 0., 5.]])
f.look("a matrix that is not symmetric", jacobian=[[3., 4.], [1., 2.]])
f.look("two outputs, three inputs: two singular values, 3 and 4", jacobian=[[3., 0., 0.], [0., 0., 4.]])
f.look("three outputs, two inputs", jacobian=[[3., 0.], [0., 0.], [0., 4.]])
f.look("one output alone", jacobian=[[3., 0., 4.]])
f.case("more outputs than inputs", lambda: (sample(9, 4, seed=92),), shown="condition_number(sample(9, 4, seed=92))")
squared = "Are small singular values lost in single precision here: do you square them (eigenvalues of JᵀJ), or add something to them? Take those of J itself, or doubles."


@task.probe("8,000 in single precision: as many inputs, more, and more outputs", drawn=True, tolerance=0.03, otherwise=squared,
            shown="matrices of shape (4, 4), (4, 7) and (7, 4), with singular values from 1 to 1/8000")
def _(condition_number):
    left, right, longer = (torch.linalg.qr(sample(n, 4, seed=seed).double())[0] for n, seed in ((4, 93), (4, 94), (7, 95)))
    sizes = torch.diag(torch.tensor([1., 0.1, 0.01, 1.25e-4]).double())
    wide = (left @ sizes @ longer.T).float()
    return [float(condition_number(one)) for one in ((left @ sizes @ right.T).float(), wide, wide.T.clone())]



def is_answer(answer):
    return isinstance(answer, dict) and set(answer) == NAMES and set(answer.values()) <= WORDS


@task.probe("an answer for each of the four networks", where("a dict: each of the four names with one of the three words", is_answer), shown="reading()",
            otherwise="Return a dict: each of the four names of the docstring (one with a √) with one of the words lost, uneven and kept.")
def _(reading):
    return reading()


@task.probe("your reading of the picture", hidden=True, shown="reading()")
def _(reading):
    return reading()


# %% mistakes
squared = "Are small singular values lost in single precision here: do you square them (eigenvalues of JᵀJ), or add something to them? Take those of J itself, or doubles."
C, V = dict(of="condition_number"), "values[0] / values[-1]"
mistake("You divided the smallest by the largest.", **C, returns="values[-1] / values[0]")
other = "You divided by one that is not the smallest (the median, the second, the first as they stand in the matrix?). Divide by the smallest."
mistake(other, **C, returns="values[0] / values.median()")
mistake(other, **C, returns="values[0] / values[min(1, len(values) - 1)]")
mistake(other, **C, values="torch.linalg.eigvals(jacobian[:(n := min(jacobian.shape)), :n]).abs()", returns="values.max() / values[0]")
mistake("This is its square. Singular values are the roots of the eigenvalues of JᵀJ: take the root.", **C, returns=f"({V}) ** 2")
mistake("You divided the first by the last as they stand in the matrix. Take the largest and the smallest singular value.", **C, values="jacobian.diagonal().abs()")
mistake("This is the largest entry, eigenvalue or singular value: divide the largest singular value by the smallest.", **C, returns="values[0]")
mistake("This is the largest entry, eigenvalue or singular value: divide the largest singular value by the smallest.", **C, returns="jacobian.abs().max()")
mistake("You subtracted. Divide the largest by the smallest.", **C, returns="values[0] - values[-1]")
mistake("Return one number: the largest singular value divided by the smallest.", **C, returns="values")
mistake("Return one number: the largest singular value divided by the smallest.", **C, returns="values[0] / values")
mistake("You used eigenvalues. Of a matrix that is not symmetric they do not say how much it stretches.", **C,
        values="torch.linalg.eigvals(jacobian).abs().sort(descending=True).values")
lengths = "This is what the lengths of {} give. A singular value is how much a direction is stretched."
mistake(lengths.format("rows"), **C, values="jacobian.norm(dim=1)", returns="values.max() / values.min()")
mistake(lengths.format("columns"), **C, values="jacobian.norm(dim=0)", returns="values.max() / values.min()")
entries = "This is what entries of the matrix give (of its diagonal?). Take its singular values."
mistake(entries, **C, values="jacobian.diagonal().abs()", returns="values.max() / values.min()")
mistake(entries, **C, values="jacobian[jacobian != 0].abs()", returns="values.max() / values.min()")
mistake("This is what the diagonal of R gives, of J = QR. Take the singular values.", **C, values="torch.linalg.qr(jacobian).R.diagonal().abs()", returns="values.max() / values.min()")
third = "There are two singular values here, 3 and 4. The answer is infinite: did you divide by a third one, by an entry that is 0, or is a column cut off?"
mistake(third, **C, values="torch.linalg.svdvals(jacobian[:, :min(jacobian.shape)])")
rows = "There are as many singular values as the smaller of both sides has: did you take the eigenvalues of the larger product, or cut rows off?"
mistake(rows, **C, values="torch.linalg.eigvalsh(jacobian.double() @ jacobian.double().T).clamp(min=0).sqrt().flip(0)")
mistake(rows, **C, values="torch.linalg.eigvalsh(jacobian.double().T @ jacobian.double()).clamp(min=0).sqrt().flip(0)")
mistake(rows, **C, values="torch.linalg.svdvals(jacobian[:jacobian.shape[1]])")
mistake(squared, **C, values="torch.linalg.eigvalsh(jacobian @ jacobian.T if jacobian.shape[0] <= jacobian.shape[1] else jacobian.T @ jacobian).clamp(min=0).sqrt().flip(0)")
mistake(squared, **C, values="torch.linalg.svdvals(jacobian) if jacobian.shape[0] <= jacobian.shape[1] else torch.linalg.eigvalsh(jacobian.T @ jacobian).clamp(min=0).sqrt().flip(0)")
mistake(squared, **C, returns="values[0] / (values[-1] + 1e-5)")
P, R, Z, L = '"plain": "{}"', '"residual, s = 1": "{}"', '"SkipInit, alpha = 0": "{}"', '"SkipInit, alpha = 1/√L": "{}"'
mistake("Return a dict whose keys are exactly the four names of the docstring (all four, and one with a √).", {"1/√L": "1/sqrt(L)"})
mistake("Return a dict whose keys are exactly the four names of the docstring (all four, and one with a √).", {'"plain": "lost",': ""})
mistake("Each answer is one of the words lost, uneven and kept.", {'"uneven"': '"not even"'})
for sentence, right, wrong in [
    ("A bare skip saves the median direction, but its directions still differ a thousandfold. Look at both ends of its curve.", R.format("uneven"), R.format("kept")),
    ("A bare skip saves the median direction: half of its curve lies high. Its directions differ a thousandfold, though.", R.format("uneven"), R.format("lost")),
    ("A block that starts as the identity keeps every direction: its singular values are all 1.", Z.format("kept"), Z.format("lost")),
    ("A block that starts as the identity keeps every direction: its singular values are all 1.", Z.format("kept"), Z.format("uneven")),
    ("The plain net's median direction is shrunk far more than a thousandfold, although its largest one is not.", P.format("lost"), P.format("uneven")),
    ("The plain net's median direction is shrunk far more than a thousandfold, although its largest one is not.", P.format("lost"), P.format("kept")),
    ("With the small scale all directions lie close together. Read its condition number again.", L.format("kept"), L.format("uneven")),
    ("With the small scale all directions lie close together. Read its condition number again.", L.format("kept"), L.format("lost")),
]:
    mistake(sentence, {right: wrong})

# %% right: svd, max over min
def condition_number(jacobian):
    _, s, _ = torch.svd(jacobian)
    return (s.max() / s.min()).item()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: the triangle of a QR decomposition has the same singular values
def condition_number(jacobian):
    rows, columns = jacobian.shape
    tall = jacobian if rows >= columns else jacobian.T
    triangle = torch.linalg.qr(tall, mode="r").R
    values, _ = torch.sort(torch.linalg.svdvals(triangle))
    return values[-1].div(values[0]).item()


def reading():
    return dict([("plain", "lost"), ("residual, s = 1", "uneven")],
                **{"SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"})

# %% right: roots of the eigenvalues of the smaller JᵀJ, in double precision
def condition_number(jacobian):
    J = jacobian if jacobian.shape[0] >= jacobian.shape[1] else jacobian.T
    J = J.double()
    e = torch.linalg.eigvalsh(J.T @ J).abs()
    return (e[-1] / e[0]).sqrt()


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: NumPy's condition number
def condition_number(jacobian):
    import numpy
    return float(numpy.linalg.cond(jacobian.detach().numpy()))


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: from matrix norms
def condition_number(jacobian):
    return torch.linalg.matrix_norm(jacobian, ord=2) / torch.linalg.matrix_norm(jacobian, ord=-2)


def reading():
    return {"plain": "lost", "residual, s = 1": "uneven", "SkipInit, alpha = 0": "kept", "SkipInit, alpha = 1/√L": "kept"}

# %% right: ARENA
from torch import Tensor


def condition_number(jacobian: Tensor) -> Tensor:
    singular_values = torch.linalg.svdvals(jacobian)
    return singular_values.max() / singular_values.min()


def reading() -> dict[str, str]:
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

# %% right: CS231n
def condition_number(jacobian):
    U, S, Vt = torch.linalg.svd(jacobian)
    return S[0] / S[-1]


def reading():
    answers = {}
    answers["plain"] = "lost"
    answers["residual, s = 1"] = "uneven"
    answers["SkipInit, alpha = 0"] = "kept"
    answers["SkipInit, alpha = 1/√L"] = "kept"
    return answers

# %% right: makemore
def condition_number(jacobian):
    s = torch.linalg.svdvals(jacobian)
    return (s[0] / s[-1]).item()

def reading():
    return {'plain': 'lost', 'residual, s = 1': 'uneven', 'SkipInit, alpha = 0': 'kept', 'SkipInit, alpha = 1/√L': 'kept'}

# %% right: torch source
def condition_number(jacobian):
    return torch.linalg.cond(jacobian)


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }

# %% right: numpy first
import numpy as np


def condition_number(jacobian):
    s = np.linalg.svd(jacobian.detach().numpy(), compute_uv=False)
    return float(s[0] / s[-1])


def reading():
    names = ["plain", "residual, s = 1", "SkipInit, alpha = 0", "SkipInit, alpha = 1/√L"]
    return dict(zip(names, ["lost", "uneven", "kept", "kept"]))

# %% right: plain loops
def condition_number(jacobian):
    values = torch.linalg.svdvals(jacobian)
    largest = values[0]
    smallest = values[0]
    for value in values:
        if value > largest:
            largest = value
        if value < smallest:
            smallest = value
    return largest / smallest


def reading():
    return {
        "plain": "lost",
        "residual, s = 1": "uneven",
        "SkipInit, alpha = 0": "kept",
        "SkipInit, alpha = 1/√L": "kept",
    }
