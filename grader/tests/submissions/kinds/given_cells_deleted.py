# what: setup and imports are deleted
# gets: everything
# says: put back

def change(draft):
    draft.cells = [cell for cell in draft.cells if cell["id"] not in ("setup", "imports")]
