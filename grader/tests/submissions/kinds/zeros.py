# what: a file of zero bytes, as a full disk leaves it
# gets: nothing
# says: The file is empty
# look: yes

def change(draft):
    return bytes(4096)
