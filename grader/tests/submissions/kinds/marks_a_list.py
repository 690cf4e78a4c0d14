# what: the nbgrader metadata of a solution cell are a list
# gets: everything
# says: marks

def change(draft):
    draft.solutions[0]["metadata"]["nbgrader"] = ["mine"]
