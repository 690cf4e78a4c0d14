# what: the released stub was pasted below the answer
# gets: everything
# says: more than once

from submissions.catalogue import a_copy


def change(draft):
    solution = draft.solutions[0]
    draft.insert_after(solution, a_copy(solution, source=draft.stub_of(solution)))
