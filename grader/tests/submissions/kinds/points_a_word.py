# what: the points of a test cell are a word
# gets: everything
# says: marks

def change(draft):
    draft.tests[0]["metadata"]["nbgrader"]["points"] = "many"
