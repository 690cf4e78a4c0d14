# attack: tests moved to the front, before any answer, and answers merged into them
# points: none
# must not: gain from the order of cells
# ordinary: yes

# %% change
def change(nb, folder):
    graded = [cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    others = [cell for cell in nb.cells if cell not in graded]
    for cell in graded:
        cell["source"] = "expect = lambda *a, **k: None\n" + cell["source"]
    nb.cells = graded + others
