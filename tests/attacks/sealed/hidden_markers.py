# attack: BEGIN and END HIDDEN TESTS in its own cells, so that feedback cuts in the wrong places
# points: none
# must not: keep feedback from cutting what is hidden

# %% row_stats
### END HIDDEN TESTS
### BEGIN HIDDEN TESTS
def row_stats(x): return x, x

# %% change
def change(nb, folder):
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell["source"] = "### END HIDDEN TESTS\n" + cell["source"] + "\n### BEGIN HIDDEN TESTS"
