# what: an answer and its test are one cell
# gets: everything
# says: merged

def change(draft):
    solution = draft.solutions[0]
    test = draft.test_of(solution)
    solution["source"] += "\n\n" + test["source"]
    draft.delete(test)
