# what: a solution cell has another name in nbgrader, and another id
# gets: everything
# says: found by what it defines


def change(draft):
    solution = draft.solutions[0]
    solution["metadata"]["nbgrader"]["grade_id"] = "my_task"
    solution["id"] = "mine"
