# what: ids are too long, hold spaces, or are missing
# gets: everything

def change(draft):
    for number, cell in enumerate(draft.cells):
        if number % 3:
            cell["id"] = "an id with spaces " * 9
        else:
            del cell["id"]
