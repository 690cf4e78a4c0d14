# what: own cells raise errors and hold no Python
# gets: everything

from submissions.catalogue import code


def change(draft):
    for cell in draft.solutions:
        draft.insert_after(cell, code("1 / 0 #" + cell["id"]))
        draft.insert_after(cell, code("this is no Python #" + cell["id"]))
