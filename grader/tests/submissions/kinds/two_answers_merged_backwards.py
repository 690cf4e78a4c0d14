# what: two answers are one cell, the second above the first
# gets: everything
# says: merged

def change(draft):
    one, other = draft.solutions[:2]
    one["source"] = other["source"] + "\n\n" + one["source"]
    draft.delete(other)
