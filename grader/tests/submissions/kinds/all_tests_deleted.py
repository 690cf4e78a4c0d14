# what: all test cells are deleted
# gets: everything
# says: put back

def change(draft):
    for cell in draft.tests:
        draft.delete(cell)
