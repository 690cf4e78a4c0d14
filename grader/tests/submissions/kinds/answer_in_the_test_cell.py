# what: an answer was written above the test, in the test's cell
# gets: everything
# says: found by what it defines

def change(draft):
    solution = draft.solutions[0]
    test = draft.test_of(solution)
    test["source"] = solution["source"] + "\n\n" + test["source"]
    solution["source"] = ""
