# attack: each test cell three times: as it is, emptied, and as a passing one with the same name and id
# points: none
# must not: be scored by a copy

# %% change
def change(nb, folder):
    import copy
    cells = []
    for cell in nb.cells:
        cells.append(cell)
        if cell.metadata.get("nbgrader", {}).get("grade"):
            for source in ("", "pass", "print('✓')"):
                twin = copy.deepcopy(cell)
                twin["source"] = source
                cells.insert(len(cells) - (source == "pass"), twin)
    nb.cells = cells
