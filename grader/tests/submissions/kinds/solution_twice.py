# what: a solution cell was pasted a second time
# gets: everything
# says: more than once

from submissions.catalogue import a_copy


def change(draft):
    draft.insert_after(draft.solutions[0], a_copy(draft.solutions[0]))
