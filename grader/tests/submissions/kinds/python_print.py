# what: the notebook was written by Python's print
# gets: everything
# says: Python's print

def change(draft):
    return repr(draft.nb).encode()
