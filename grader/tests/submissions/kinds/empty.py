# what: an empty file
# gets: nothing
# says: The file is empty
# look: yes

def change(draft):
    return b""
