# what: the first line of an answer stands in a cell of its own
# gets: everything
# says: split

from submissions.catalogue import code


def change(draft):
    solution = draft.solutions[0]
    head, body = solution["source"].split("\n", 1)
    solution["source"] = head
    draft.insert_after(solution, code(body))
