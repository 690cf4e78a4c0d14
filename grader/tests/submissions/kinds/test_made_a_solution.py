# what: a test cell says it is a solution cell without points
# gets: everything
# says: marks

def change(draft):
    draft.tests[0]["metadata"]["nbgrader"] |= {"solution": True, "grade": False, "locked": False}
