"""square, 3 points."""
task = Task("square")
f = task.function()
f.look("three times three", 3)

# %% mistakes
mistake("You doubled x.", returns="2 * x")

# %% right: the power operator
def square(x):
    return x**2
