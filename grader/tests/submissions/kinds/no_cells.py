# what: a notebook without cells
# gets: nothing
# says: no cells with text
# look: yes

def change(draft):
    draft.cells = []
