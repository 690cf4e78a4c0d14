# what: a code cell's outputs are a text
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.solutions[0]["outputs"] = "none"
