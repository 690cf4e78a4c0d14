# what: an own cell carries marks that no released cell has
# gets: everything
# says: marks

from submissions.catalogue import code


def change(draft):
    own = code("1 + 1", nbgrader={"grade_id": "bonus", "grade": True, "points": 50, "locked": False, "solution": False, "schema_version": 3, "task": False})
    draft.insert_after(draft.solutions[0], own)
