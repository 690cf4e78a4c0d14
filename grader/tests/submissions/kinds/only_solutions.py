# what: everything but the solution cells is deleted
# gets: everything
# says: put back

def change(draft):
    draft.cells = draft.solutions
