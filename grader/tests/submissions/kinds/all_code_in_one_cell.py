# what: all code of the notebook is in one cell without marks
# gets: everything
# says: merged

from submissions.catalogue import code


def change(draft):
    together = "\n\n".join(cell["source"] for cell in draft.cells if cell["cell_type"] == "code")
    draft.cells = [code(together)]
