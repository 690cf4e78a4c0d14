# what: an answer uses a helper that stands in an own cell above it
# gets: everything

from submissions.catalogue import code, marks


def change(draft):
    solution = draft.solutions[0]
    name = marks(solution)["grade_id"]
    draft.insert_before(solution, code(solution["source"].replace(name, name + "_helper")))
    solution["source"] = f"def {name}(*arguments):\n    return {name}_helper(*arguments)"
