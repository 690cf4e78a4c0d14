# what: JSON that is no notebook
# gets: nothing
# says: holds no cells
# look: yes

def change(draft):
    return {"answers": [1, 2, 3]}
