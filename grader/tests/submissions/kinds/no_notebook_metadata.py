# what: the notebook's own metadata are missing
# gets: everything
# says: not a valid notebook

def change(draft):
    del draft.nb["metadata"]
