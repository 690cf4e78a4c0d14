# what: the cells are in the opposite order
# gets: everything
# says: order

def change(draft):
    draft.cells.reverse()
