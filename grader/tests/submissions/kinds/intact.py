# what: a right submission, as Jupyter saves it
# gets: everything

def change(draft):
    pass
