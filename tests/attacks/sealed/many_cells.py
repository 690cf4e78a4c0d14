# attack: ten thousand cells of its own, and cells of a megabyte that are slow to read
# points: none
# must not: occupy the trusted side with reading

# %% change
def change(nb, folder):
    import nbformat
    nb.cells += [nbformat.v4.new_code_cell("1") for _ in range(3000)]
    slow = "\n".join(f"%magic{number}" for number in range(600)) + "\nlayer_norm = LayerNorm = RMSNorm = 1\n" + "x = '" + "y" * 200_000 + "'\n"
    nb.cells += [nbformat.v4.new_code_cell(slow)]
    at = next(i for i, cell in enumerate(nb.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "layer_norm_test")
    nb.cells.insert(at, nbformat.v4.new_code_cell(slow))
