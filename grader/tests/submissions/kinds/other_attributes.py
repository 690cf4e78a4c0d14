# what: cells and notebook carry attributes of other programs
# gets: everything

def change(draft):
    draft.nb["vscode"] = {"languageId": "python"}
    for cell in draft.cells:
        cell["vscode"] = 1
