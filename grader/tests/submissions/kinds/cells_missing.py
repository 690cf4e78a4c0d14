# what: a notebook whose list of cells is missing
# gets: nothing
# says: holds no cells
# look: yes

def change(draft):
    del draft.nb["cells"]
