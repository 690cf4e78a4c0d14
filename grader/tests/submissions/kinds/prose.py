# what: an essay under the notebook's name
# gets: nothing
# says: not a notebook
# look: yes

def change(draft):
    return b"Dear instructor, my laptop broke yesterday and I could not finish."
