# what: empty cells stand between all others
# gets: everything

from submissions.catalogue import code


def change(draft):
    draft.cells = [each for cell in draft.cells for each in (cell, code("", id=cell["id"]) | {"id": "blank-" + cell["id"]})]
