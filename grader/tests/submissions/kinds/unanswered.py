# what: the notebook as it was released
# gets: nothing

def change(draft):
    return draft.released
