# what: the notebook is of format 4.0, without ids
# gets: everything

def change(draft):
    draft.nb["nbformat_minor"] = 0
    for cell in draft.cells:
        del cell["id"]
