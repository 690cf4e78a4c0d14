# what: an answer became a markdown cell
# gets: everything
# says: type

def change(draft):
    solution = draft.solutions[0]
    solution["cell_type"] = "markdown"
    del solution["outputs"], solution["execution_count"]
