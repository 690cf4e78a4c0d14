"""double, 2 points."""
task = Task("double")
f = task.function()
f.look("two times one", 1)

# %% mistakes
mistake("You added 2 instead of multiplying by it.", returns="x + 2")
mistake("You added 2 instead of multiplying by it.", returns="2 + x")

# %% right: adds instead of multiplying
def double(x):
    return x + x
