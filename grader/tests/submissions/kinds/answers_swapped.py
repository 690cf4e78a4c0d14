# what: two answers were written into each other's cells
# gets: everything
# says: found by what it defines

def change(draft):
    one, other = draft.solutions[:2]
    one["source"], other["source"] = other["source"], one["source"]
