# what: every line ends as in Windows, in the file and in the cells
# gets: everything

def change(draft):
    for cell in draft.cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")
