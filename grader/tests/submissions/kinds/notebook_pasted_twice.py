# what: the whole notebook was pasted below itself
# gets: everything
# says: more than once

from submissions.catalogue import a_copy


def change(draft):
    draft.cells += [a_copy(cell) for cell in draft.cells]
