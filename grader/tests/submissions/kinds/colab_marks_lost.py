# what: downloaded from Colab after a detour that lost the marks
# gets: everything
# says: found by what it defines

def change(draft):
    draft.nb["nbformat_minor"] = 0
    for number, cell in enumerate(draft.cells):
        del cell["id"]
        cell["metadata"] = {"id": f"x{number:011}"}
