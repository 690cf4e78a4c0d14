# what: all cells have the same id
# gets: everything

def change(draft):
    for cell in draft.cells:
        cell["id"] = "cell"
