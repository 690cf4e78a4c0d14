# what: a JSON list
# gets: nothing
# says: holds no cells
# look: yes

def change(draft):
    return b"[1, 2, 3]"
