# what: a solution cell was copied: the answer is in the copy, the original as released
# gets: everything
# says: more than once

from submissions.catalogue import a_copy


def change(draft):
    solution = draft.solutions[0]
    draft.insert_after(solution, a_copy(solution))
    solution["source"] = draft.stub_of(solution)
