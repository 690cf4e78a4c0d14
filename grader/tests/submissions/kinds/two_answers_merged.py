# what: two answers are one cell, with the marks of the first
# gets: everything
# says: merged

def change(draft):
    one, other = draft.solutions[:2]
    one["source"] += "\n\n" + other["source"]
    draft.delete(other)
