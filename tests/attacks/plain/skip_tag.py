# attack: a skip-execution tag on test cells that are plain asserts
# points: none
# must not: be believed about the instructor's cells

# %% change
def change(nb, folder):
    for cell in nb.cells:
        cell.metadata["tags"] = ["skip-execution"]
