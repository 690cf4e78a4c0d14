# what: an answer was split as JupyterLab does: both parts carry the marks
# gets: everything
# says: split

from submissions.catalogue import a_copy


def change(draft):
    solution = draft.solutions[0]
    head, body = solution["source"].rsplit("\n", 1)
    solution["source"] = head
    draft.insert_after(solution, a_copy(solution, source=body))
