# what: a test and the answer below it are one cell with the marks of the test
# gets: everything
# says: merged

def change(draft):
    test, answer = draft.test_of(draft.solutions[0]), draft.solutions[1]
    test["source"] += "\n\n" + answer["source"]
    draft.delete(answer)
