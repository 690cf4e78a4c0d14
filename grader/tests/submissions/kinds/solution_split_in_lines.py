# what: every line of an answer stands in a cell of its own
# gets: everything
# says: split

from submissions.catalogue import code


def change(draft):
    solution = draft.solutions[0]
    head, *rest = [line for line in solution["source"].split("\n") if line.strip()]
    solution["source"] = head
    for line in reversed(rest[-2:]):
        draft.insert_after(solution, code(line))
    solution["source"] = "\n".join([head, *rest[:-2]])
