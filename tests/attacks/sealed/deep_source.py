# attack: cells whose syntax tree is too deep or too large for whoever reads source to judge it
# points: none
# must not: crash or occupy the reader of by-hand tasks

# %% layer_norm
layer_norm = lambda *args: None

# %% change
def change(nb, folder):
    import nbformat
    at = next(i for i, cell in enumerate(nb.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "layer_norm_test")
    for source in ("layer_norm = " + "-" * 50_000 + "1", "layer_norm = " + "(" * 190 + ")" * 190, "layer_norm = a" + ".b" * 20_000,
                   "layer_norm = 1" + " + 1" * 20_000, "if 1:\n" + "".join(" " * d + "if 1:\n" for d in range(1, 99)) + " " * 99 + "pass",
                   "layer_norm = '''" + "{" * 50_000, "layer_norm = [" + "1," * 200_000 + "]", "\x00layer_norm = 1"):
        nb.cells.insert(at, nbformat.v4.new_code_cell(source))
