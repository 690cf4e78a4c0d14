# what: a cell's metadata are a list
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.solutions[0]["metadata"] = []
