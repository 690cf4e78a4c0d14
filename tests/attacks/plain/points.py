# attack: points of 300 for plain test cells
# points: none
# must not: be believed about points

# %% change
def change(nb, folder):
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata["nbgrader"]["points"] = 300
