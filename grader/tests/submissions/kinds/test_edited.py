# what: a test cell was replaced by `assert True`, and its answer by the stub
# gets: all but first

def change(draft):
    draft.tests[0]["source"] = "assert True"
    draft.solutions[0]["source"] = draft.stub_of(draft.solutions[0])
