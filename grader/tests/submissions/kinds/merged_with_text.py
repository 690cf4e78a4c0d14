# what: an answer was merged into the text above it, which made it markdown
# gets: everything
# says: merged with others

def change(draft):
    solution = draft.solutions[1]
    above = draft.cells[draft.at(solution) - 1]
    above["source"] += "\n\n" + solution["source"]
    above["cell_type"] = "markdown"
    for key in ("outputs", "execution_count"):
        above.pop(key, None)
    draft.delete(solution)
