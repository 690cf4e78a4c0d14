# what: a solution cell says it is a locked test cell
# gets: everything
# says: marks

def change(draft):
    draft.solutions[0]["metadata"]["nbgrader"] |= {"solution": False, "grade": True, "locked": True, "points": 3}
