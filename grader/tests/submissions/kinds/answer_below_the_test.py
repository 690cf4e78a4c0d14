# what: an answer stands in an own cell at the end, the solution cell is as released
# gets: everything
# says: found by what it defines

from submissions.catalogue import code


def change(draft):
    solution = draft.solutions[0]
    draft.cells.append(code(solution["source"]))
    solution["source"] = draft.stub_of(solution)
