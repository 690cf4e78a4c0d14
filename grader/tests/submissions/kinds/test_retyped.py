# what: a test cell became markdown
# gets: everything
# says: type

def change(draft):
    test = draft.tests[0]
    test["cell_type"] = "markdown"
    del test["outputs"], test["execution_count"]
