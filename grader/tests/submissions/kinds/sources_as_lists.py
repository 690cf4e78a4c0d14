# what: sources are lists of lines, as Jupyter writes them
# gets: everything

def change(draft):
    for cell in draft.cells:
        cell["source"] = cell["source"].splitlines(keepends=True)
