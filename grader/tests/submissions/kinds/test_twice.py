# what: a test cell was pasted a second time
# gets: everything
# says: more than once

from submissions.catalogue import a_copy


def change(draft):
    draft.insert_after(draft.tests[0], a_copy(draft.tests[0]))
