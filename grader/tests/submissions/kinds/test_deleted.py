# what: a test cell is deleted
# gets: everything
# says: put back

def change(draft):
    draft.delete(draft.tests[0])
