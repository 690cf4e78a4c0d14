# what: a solution cell is deleted
# gets: all but first
# says: No answer

def change(draft):
    draft.delete(draft.solutions[0])
