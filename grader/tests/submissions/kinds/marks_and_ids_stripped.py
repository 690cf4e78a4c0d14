# what: metadata and ids of every cell are gone, as after a detour through another editor
# gets: everything
# says: found by what it defines

def change(draft):
    draft.nb["nbformat_minor"] = 4
    for cell in draft.cells:
        cell["metadata"] = {}
        del cell["id"]
