# what: two solution cells have each other's names
# gets: everything
# says: found by what it defines

def change(draft):
    one, other = draft.solutions[0]["metadata"]["nbgrader"], draft.solutions[1]["metadata"]["nbgrader"]
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]
