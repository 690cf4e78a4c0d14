# what: a file of blanks
# gets: nothing
# says: The file is empty
# look: yes

def change(draft):
    return b" \n\n"
