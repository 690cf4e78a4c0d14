# attack: cells with the ids of the instructor's cells, hidden cells, raw cells and attachments that pose as tests
# points: none
# must not: take another cell's place by its id

# %% change
def change(nb, folder):
    import nbformat
    ids = [cell["id"] for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    for number, name in enumerate(ids):
        cell = nbformat.v4.new_code_cell("print('✓')")
        cell["id"] = name
        cell.metadata["tags"] = ["remove_cell", "hide-input", "skip-execution"]
        nb.cells.insert(number, cell)
    for cell in nb.cells:
        cell.metadata |= {"editable": False, "deletable": False, "jupyter": {"source_hidden": True, "outputs_hidden": True}}
