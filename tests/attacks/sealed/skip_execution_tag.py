# attack: a skip-execution tag on every test cell, which nbgrader takes for full marks
# points: none
# must not: be believed about the instructor's cells
# ordinary: yes

# %% change
def change(nb, folder):
    for cell in nb.cells:
        cell.metadata["tags"] = ["skip-execution", "skip_execution", "raises-exception"]
