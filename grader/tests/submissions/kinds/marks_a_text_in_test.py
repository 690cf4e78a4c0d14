# what: the nbgrader metadata of a test cell are a text
# gets: everything
# says: marks

def change(draft):
    draft.tests[0]["metadata"]["nbgrader"] = "mine"
