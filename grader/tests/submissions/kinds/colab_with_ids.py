# what: downloaded from Colab, with ids in a format that has none
# gets: everything

def change(draft):
    draft.nb["nbformat_minor"] = 0
    for cell in draft.cells:
        cell["metadata"]["id"] = cell["id"] + "-colab"
